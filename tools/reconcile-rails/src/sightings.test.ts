import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { readSightings } from './sightings.ts'

const MTN = 'mtn_momo_cm'
const CHARGE = '9d0c1f66-5b0e-4a55-9d3e-1f1f5a1f0c11'
const PAYOUT = '1b6f6c0e-6a51-4c2f-8f3a-2d2d2d2d2d22'

const folder = await mkdtemp(join(tmpdir(), 'sightings-'))
afterAll(() => rm(folder, { recursive: true }))

let files = 0
async function read(contents: Record<string, string>) {
  const paths: string[] = []
  for (const [ending, content] of Object.entries(contents)) {
    files += 1
    const path = join(folder, `${files}.${ending}`)
    await writeFile(path, content)
    paths.push(path)
  }
  return readSightings(paths, new Set([MTN]))
}

const logged = (facts: object) => JSON.stringify({ app: 'api', level: 'info', ...facts })
const instructed = (reference: string, operation: string, object: string) =>
  logged({ merchant: 'shop', object, rail: MTN, operation, reference, msg: 'rail instructed' })

const ofLog = {
  rail: MTN,
  source: 'log',
  merchant: 'shop',
  amountMinor: null,
  currency: null,
}

describe('log lines', () => {
  test('give the charges and payouts that a rail was sent, once each, among any other lines', async () => {
    const lines = [
      'Nov 23 00:15:00 api[1]: Node says something',
      `Nov 23 00:15:00 api[1]: ${instructed(CHARGE, 'submit', 'pi_1')}`,
      logged({ msg: 'request', reference: 'other' }),
      instructed(PAYOUT, 'refund', 're_1'),
      instructed(PAYOUT, 'refund', 're_1'),
      '',
    ]
    expect(await read({ log: lines.join('\n') })).toEqual([
      { ...ofLog, kind: 'charge', reference: CHARGE, object: 'pi_1' },
      { ...ofLog, kind: 'payout', reference: PAYOUT, object: 're_1' },
    ])
  })

  test('that were cut off are refused with their place', async () => {
    const line = instructed(CHARGE, 'submit', 'pi_1')
    await expect(read({ log: `\n${line.slice(0, -1)}` })).rejects.toThrow(/\d\.log: line 2 is no JSON$/)
  })
})

test('a file that cannot be read is named', async () => {
  const path = join(folder, 'none.log')
  await expect(readSightings([path], new Set([MTN]))).rejects.toThrow(`${path}: cannot be read (ENOENT)`)
})

describe('a statement', () => {
  test('gives a sighting for each line, with what its columns say', async () => {
    const lines = [
      'reference,rail,kind,amount,currency,merchant',
      `${CHARGE.toUpperCase()},${MTN},,2500,XAF,`,
      '',
      `${PAYOUT}, ${MTN}, payout, 100, XAF, shop`,
    ]
    expect(await read({ csv: lines.join('\r\n') })).toEqual([
      {
        ...ofLog,
        source: 'statement',
        kind: 'charge',
        reference: CHARGE,
        merchant: null,
        object: null,
        amountMinor: 2500,
        currency: 'XAF',
      },
      {
        ...ofLog,
        source: 'statement',
        kind: 'payout',
        reference: PAYOUT,
        object: null,
        amountMinor: 100,
        currency: 'XAF',
      },
    ])
  })

  test('adds to the log lines of the same reference, in either order', async () => {
    const log = instructed(CHARGE, 'submit', 'pi_1')
    const csv = `rail,reference,amount\n${MTN},${CHARGE},2500`
    const both = {
      ...ofLog,
      source: 'statement',
      kind: 'charge',
      reference: CHARGE,
      object: 'pi_1',
      amountMinor: 2500,
    }
    expect(await read({ log, csv })).toEqual([both])
    expect(await read({ csv, log })).toEqual([both])
  })

  test.each([
    ['no header', `${MTN},${CHARGE}`, 'line 1 must name the columns rail, reference, and may name'],
    [
      'an unknown rail',
      `rail,reference\nother,${CHARGE}`,
      'line 2 names the rail other, which is not configured',
    ],
    ['a path for a reference', `rail,reference\n${MTN},../../x`, 'line 2 has a reference that is not ours'],
    ['a quoted field', `rail,reference\n${MTN},"${CHARGE}"`, 'line 2 has a quoted field'],
    ['a missing field', `rail,reference,amount\n${MTN},${CHARGE}`, 'line 2 has 2 fields for 3 columns'],
    ['another kind', `rail,reference,kind\n${MTN},${CHARGE},fee`, 'line 2 has a kind that is neither'],
    ['a name for a currency', `rail,reference,currency\n${MTN},${CHARGE},franc`, 'line 2 has a currency'],
    [
      'a fraction',
      `rail,reference,amount\n${MTN},${CHARGE},1.5`,
      'line 2 has an amount that is no whole number',
    ],
  ])('with %s is refused with its place', async (_, csv, message) => {
    await expect(read({ csv })).rejects.toThrow(message)
  })
})
