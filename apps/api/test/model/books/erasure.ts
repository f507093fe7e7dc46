import type { Customer, Facts } from './objects.ts'
import type { PaymentError } from './rails.ts'
import type { Shop } from './state.ts'
import type { Json } from './verdict.ts'

const REDACTED = '[redacted]'

/** Spec 3.2: nine texts, also those that were null, and two coordinates. */
const nothingKnown: Omit<Facts, 'metadata'> = {
  name: REDACTED,
  email: REDACTED,
  phone: REDACTED,
  address: {
    line1: REDACTED,
    line2: REDACTED,
    city: REDACTED,
    state: REDACTED,
    postal_code: REDACTED,
    country: REDACTED,
    latitude_microdeg: null,
    longitude_microdeg: null,
  },
}

/** Takes what is known of a customer from the customer and from every stored copy. */
export function erase(shop: Shop, customer: Customer, nowMs: number): void {
  const intents = shop.intents.filter((intent) => intent.customer === customer.id)
  for (const intent of intents) {
    intent.error = intent.error && withoutWords(intent.error)
    for (const charge of intent.charges) charge.payer = null
  }
  const about = new Set([customer.id, ...intents.map(({ id }) => id)])
  for (const told of shop.told) told.object = redacted(told.object, about)
  for (const { answer } of shop.keys.values()) {
    if (answer === undefined || !('body' in answer.verdict)) continue
    const body = redacted(answer.verdict.body, about)
    answer.redacted ||= body !== answer.verdict.body
    answer.verdict = { ...answer.verdict, body }
  }
  customer.facts = { ...nothingKnown, metadata: customer.facts.metadata }
  customer.erasedMs = nowMs
}

/** The rail's own words may name the payer. */
export const withoutWords = (error: PaymentError): PaymentError => ({
  ...error,
  declineCode: error.declineCode && REDACTED,
  message: error.message && REDACTED,
})

/** A stored object; the same one where nothing is known of anybody in it. */
function redacted(stored: Json, about: ReadonlySet<string>): Json {
  if (!isObject(stored) || typeof stored['id'] !== 'string' || !about.has(stored['id'])) return stored
  if (stored['object'] === 'customer') return { ...stored, ...nothingKnown } as Json
  const error = stored['last_payment_error']
  if (stored['object'] !== 'payment_intent' || !isObject(error)) return stored
  const { decline_code: code, message } = error
  return {
    ...stored,
    last_payment_error: { ...error, decline_code: code && REDACTED, message: message && REDACTED } as Json,
  }
}

const isObject = (value: Json | undefined): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
