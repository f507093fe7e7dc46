import { readFileSync } from 'node:fs'
import {
  CheckoutSession,
  Customer,
  Event,
  eventKinds,
  type EventType,
  eventTypes,
  Invoice,
  PaymentIntent,
  Refund,
} from '@merchant-payments/contract'
import { describe, expect, test } from 'vitest'
import { inRepository } from './files.ts'

const page = readFileSync(inRepository('docs/guides/events.md'), 'utf8')
const bodies = [...page.matchAll(/^### (\S+)\n.*?^```json\n(.*?)^```$/gms)].map(
  ([, type = '', body = '']) => [type as EventType, JSON.parse(body) as Record<string, unknown>] as const,
)
const objects = { CheckoutSession, Customer, Invoice, PaymentIntent, Refund }

describe('the guide of events', () => {
  test('tells to accept a type that a later version adds', () => {
    expect(page).toContain('A later version can have more: answer 2xx')
  })

  test('names the fifteen types, and has a body of each that is written [§6.1]', () => {
    const unwritten = ['payment_intent.created', 'payment_intent.processing']
    expect(bodies.map(([type]) => type)).toEqual(eventTypes.filter((type) => !unwritten.includes(type)))
    for (const type of unwritten) expect(page).toContain(`| \`${type}\` | Never written`)
  })

  test.each(bodies)('has a body of %s that the contract accepts [§6.2]', (type, body) => {
    const { data } = Event.parse(body)
    expect(body['type']).toBe(type)
    const snapshot = objects[eventKinds[type].object].strict().parse(data.object)
    expect(snapshot).not.toHaveProperty('client_secret')
  })
})
