import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createdOf, idOf, mintId, parseId, uuidOf } from './ids.ts'

const HOUR_MS = 3_600_000
// Each test's own hour, later than the one before: the minter remembers its last millisecond.
let hours = 0
const nextHour = () => Date.UTC(2026, 10, 21) + ++hours * HOUR_MS

describe('minted ids', () => {
  test('are in the order of minting and never repeat, over 100 000 in one millisecond', () => {
    const nowMs = nextHour()
    const ids = Array.from({ length: 100_000 }, () => mintId('pi', nowMs))
    expect(ids.findIndex((id, n) => n > 0 && id <= (ids[n - 1] ?? id))).toBe(-1)
  })

  test('keep their order while the clock runs, stands, and steps back by less than a second', () => {
    const nowMs = nextHour()
    const steps = fc.array(fc.integer({ min: -900, max: 200 }), { minLength: 2, maxLength: 50 })
    // Each run begins well after the one before.
    let latest = nowMs
    fc.assert(
      fc.property(steps, (offsets) => {
        latest += 10_000
        const ids = offsets.map((offset) => {
          const reading = offset < 0 ? latest + offset : (latest += offset)
          return mintId('evt', reading)
        })
        expect(ids.toSorted()).toEqual(ids)
      }),
    )
  })

  test('follow a clock that was set back, and still never repeat', () => {
    const nowMs = nextHour()
    const later = mintId('pi', nowMs)
    const earlier = mintId('pi', nowMs - 60_000)
    expect(createdOf(earlier)).toBe((nowMs - 60_000) / 1000)
    expect(earlier < later).toBe(true)
    expect(mintId('pi', nowMs - 60_000) > earlier).toBe(true)
  })

  test('are a prefix and the hex of a UUIDv7 [§2.1]', () => {
    fc.assert(
      fc.property(fc.constantFrom('pi', 'cus', 'evt', 'in', 'ch', 'wd'), (prefix) => {
        const nowMs = nextHour()
        const id = mintId(prefix, nowMs)
        const time = nowMs.toString(16).padStart(12, '0')
        expect(id).toMatch(new RegExp(`^${prefix}_${time}7[0-9a-f]{3}[89ab][0-9a-f]{15}$`))
      }),
    )
  })

  test('know the second of their minting [§2.1]', () => {
    const nowMs = nextHour() + 1_999
    expect(createdOf(mintId('pi', nowMs))).toBe(Math.floor(nowMs / 1000))
  })

  test('are dated in their own second, even if 20 000 are minted in one millisecond', () => {
    const nowMs = nextHour()
    const ids = Array.from({ length: 20_000 }, () => mintId('pi', nowMs))
    expect(createdOf(ids.at(-1) ?? mintId('pi', 0))).toBe(nowMs / 1000)
  })
})

describe('an id', () => {
  test('parses back to itself under its own prefix only', () => {
    const id = mintId('pi', nextHour())
    expect(parseId('pi', id)).toBe(id)
    expect(parseId('evt', id)).toBeNull()
  })

  test('is parsed from no other text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^(pi|cus)_[0-9a-fA-F-]{30,36}$/)), (text) => {
        expect(parseId('pi', text)).toBe(/^pi_[0-9a-f]{32}$/.test(text) && !text.endsWith('\n') ? text : null)
      }),
    )
    expect(parseId('pi', `pi_${'a'.repeat(32)}\n`)).toBeNull()
  })

  test('goes to a uuid column and comes back the same', () => {
    fc.assert(
      fc.property(fc.uuid(), (uuid) => {
        const id = idOf('ch', uuid)
        expect(parseId('ch', id)).toBe(id)
        expect(uuidOf(id)).toBe(uuid.replaceAll('-', ''))
      }),
    )
  })
})
