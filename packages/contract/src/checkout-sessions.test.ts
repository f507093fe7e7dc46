import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { createCheckoutSession } from './checkout-sessions.ts'

const create = createCheckoutSession.body as z.ZodType

/** The path and the message of each fault in a body. */
const faults = (body: unknown) =>
  (create.safeParse(body).error?.issues ?? []).map(({ path, message }) => [path.join('.'), message])

describe('a create', () => {
  test('requires no single field: the command knows which combinations are valid', () => {
    expect(create.parse({})).toEqual({
      payment_intent: null,
      description: null,
      customer: null,
      ui_mode: 'hosted',
      success_url: null,
      cancel_url: null,
      return_url: null,
      client_reference_id: null,
    })
  })

  test.each([
    ['line_items', 'is not supported; give amount and currency'],
    ['mode', 'is not supported; every session takes one payment'],
    ['amount_total', 'is not supported; give amount'],
    ['payment_intent_data', 'is not supported; give metadata and description'],
    ['application_fee_amount', 'is not supported'],
    ['transfer_data', 'is not supported'],
    ['on_behalf_of', 'is not supported'],
  ])('refuses %s, and says what to send instead, if anything [§2.5, §9.3]', (name, message) => {
    for (const value of ['', 'payment', '1', {}]) expect(faults({ [name]: value })).toEqual([[name, message]])
  })

  test('refuses any capture_method but automatic', () => {
    expect(faults({ capture_method: 'automatic' })).toEqual([])
    expect(faults({ capture_method: 'manual' })).toEqual([
      ['capture_method', 'only automatic capture is supported'],
    ])
  })

  test.each(['1.5', '-1', '0', '01', '1e9', '12345678901', '', 'soon'])('refuses expires_at=%s', (value) => {
    expect(faults({ expires_at: value })).toEqual([['expires_at', 'must be an instant in Unix seconds']])
  })

  test('accepts addresses of 2048 characters', () => {
    const address = `https://shop.example/${'a'.repeat(2048 - 21)}`
    expect(faults({ success_url: address })).toEqual([])
    expect(faults({ success_url: `${address}a` })).toEqual([
      ['success_url', 'must have at most 2048 characters'],
    ])
  })
})
