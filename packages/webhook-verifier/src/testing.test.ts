import { describe, expect, test } from 'vitest'
import { now, secrets } from './fixture.ts'
import { createVerifier } from './index.ts'
import { snapshots } from './snapshots.ts'
import { createTestEvent, signPayload } from './testing.ts'

describe('createTestEvent', () => {
  const types = Object.keys(snapshots) as (keyof typeof snapshots)[]

  test('knows the fifteen types of the service', () => {
    expect(types).toHaveLength(15)
  })

  test.each(types)('makes a %s that survives serialization', async (type) => {
    const event = createTestEvent(type)
    expect(Object.keys(event)).toEqual(['id', 'object', 'type', 'created', 'livemode', 'data'])
    const payload = JSON.stringify(event)
    const header = await signPayload({ payload, secrets, timestampSec: now() / 1_000 })
    expect(await createVerifier({ secrets, now }).verify(payload, header)).toEqual(event)
  })

  test('accepts other values for the envelope and the resource', () => {
    const event = createTestEvent('customer.updated', {
      id: 'evt_1',
      created: 1,
      livemode: true,
      object: { phone: '237611111111' },
    })
    const { phone, ...rest } = snapshots['customer.updated']
    expect(event).toEqual({
      id: 'evt_1',
      object: 'event',
      type: 'customer.updated',
      created: 1,
      livemode: true,
      data: { object: { ...rest, livemode: true, phone: '237611111111' } },
    })
    expect(phone).toBe('237600000000')
  })

  test.each(types)('names only rails of the documentation in a %s', (type) => {
    const names = JSON.stringify(createTestEvent(type)).match(/"(mtn|orange)_\w+"/g) ?? []
    expect(names.filter((name) => name !== '"mtn_momo_cm"')).toEqual([])
  })

  test('returns a separate event to each caller', () => {
    createTestEvent('invoice.paid').data.object.metadata.order = '42'
    expect(createTestEvent('invoice.paid').data.object.metadata).toEqual({})
  })
})

describe('signPayload', () => {
  test('writes no spaces, lower-case hex, and one v1 per secret in order', async () => {
    const one = await signPayload({ payload: 'x', secrets: 'a', timestampSec: 1 })
    const other = await signPayload({ payload: 'x', secrets: 'b', timestampSec: 1 })
    expect(one).toMatch(/^t=1,v1=[\da-f]{64}$/)
    expect(await signPayload({ payload: 'x', secrets: ['a', 'b'], timestampSec: 1 })).toBe(
      `${one},${other.slice('t=1,'.length)}`,
    )
  })

  test('refuses a secret that anyone could guess', async () => {
    await expect(signPayload({ payload: 'x', secrets: '' })).rejects.toThrow(TypeError)
  })
})
