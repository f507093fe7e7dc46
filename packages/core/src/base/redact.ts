import type { Customer, PaymentIntent } from '@merchant-payments/contract'

/** Spec 3.2: replaces every text that an erasure removes. */
export const REDACTED = '[redacted]'

export const redactText = (text: string | null): string | null => (text === null ? null : REDACTED)

interface WireObject {
  readonly object: string
}

/** How an erasure redacts each kind of stored object. Kinds that are not listed hold no personal data. */
const redactors: Readonly<Record<string, (stored: never) => object>> = {
  event: (event: WireObject & { data: { object: WireObject } }) => ({
    ...event,
    data: { ...event.data, object: redactObject(event.data.object) },
  }),
  customer: (customer: Customer) => ({
    ...customer,
    name: REDACTED,
    email: REDACTED,
    phone: REDACTED,
    address: redactedAddress,
  }),
  payment_intent: (intent: PaymentIntent) => ({
    ...intent,
    last_payment_error: redactError(intent.last_payment_error),
  }),
}

const redactError = (error: PaymentIntent['last_payment_error']): PaymentIntent['last_payment_error'] =>
  error && { ...error, decline_code: redactText(error.decline_code), message: redactText(error.message) }

const redactedAddress: Customer['address'] = {
  line1: REDACTED,
  line2: REDACTED,
  city: REDACTED,
  state: REDACTED,
  postal_code: REDACTED,
  country: REDACTED,
  latitude_microdeg: null,
  longitude_microdeg: null,
}

const redactObject = (stored: WireObject): object =>
  Object.hasOwn(redactors, stored.object) ? (redactors[stored.object]?.(stored as never) ?? stored) : stored

/** Returns the same bytes if there is nothing to redact. */
export const redactBody = (body: string): string =>
  JSON.stringify(redactObject(JSON.parse(body) as WireObject))
