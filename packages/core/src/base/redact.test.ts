import { describe, expect, test } from 'vitest'
import { redactBody } from './redact.ts'

const customer = {
  id: 'cus_1',
  object: 'customer',
  name: 'Awa',
  email: null,
  phone: '237670000001',
  address: null,
  metadata: { name: 'kept', email: 'kept', object: 'customer' },
  created: 1,
  livemode: false,
}
const refused = {
  id: 'pi_1',
  object: 'payment_intent',
  description: 'for Awa',
  last_payment_error: { type: 'rail_error', code: 'declined', decline_code: 'X', message: 'Awa is poor' },
  metadata: { last_payment_error: 'kept' },
}

describe('a stored body', () => {
  test('of a customer loses nine texts and two coordinates, and keeps its metadata and the order of its keys [§3.2]', () => {
    const redacted = redactBody(JSON.stringify(customer))
    const mark = '[redacted]'
    const address = {
      line1: mark,
      line2: mark,
      city: mark,
      state: mark,
      postal_code: mark,
      country: mark,
      latitude_microdeg: null,
      longitude_microdeg: null,
    }
    expect(redacted).toBe(JSON.stringify({ ...customer, name: mark, email: mark, phone: mark, address }))
    expect(redactBody(redacted)).toBe(redacted)
  })

  test('of a payment intent loses the words of the rail, in an event too [§3.2]', () => {
    const error = { ...refused.last_payment_error, decline_code: '[redacted]', message: '[redacted]' }
    const redacted = { ...refused, last_payment_error: error }
    expect(redactBody(JSON.stringify(refused))).toBe(JSON.stringify(redacted))
    const event = (object: object) => JSON.stringify({ id: 'evt_1', object: 'event', data: { object } })
    expect(redactBody(event(refused))).toBe(event(redacted))
  })

  test.each([
    ['a payment intent without a refusal', { ...refused, last_payment_error: null }],
    ['a refusal without words', { ...refused, last_payment_error: { decline_code: null, message: null } }],
    ['an error', { error: { type: 'invalid_request_error', code: 'invalid_request', message: 'name' } }],
    ['an object of another kind', { id: 're_1', object: 'refund', name: 'kept' }],
    ['an object named like a property', { object: 'constructor', name: 'kept' }],
  ])('of %s stays as it is, byte for byte', (_, body) => {
    expect(redactBody(JSON.stringify(body))).toBe(JSON.stringify(body))
  })
})
