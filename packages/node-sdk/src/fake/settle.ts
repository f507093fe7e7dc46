import type { DeclineCode, PaymentIntent } from '../wire.ts'
import { settleInvoice } from './invoices.ts'
import { record, type Store } from './store.ts'

/** The rail's answer to an open charge. */
export function settleIntent(store: Store, id: string, outcome: 'succeeded' | DeclineCode): void {
  const intent = store.intents.get(id)
  const rail = store.openCharges.get(id)
  if (intent === undefined || rail === undefined) {
    throw new Error(`the fake has no open charge of ${id}: confirm it first`)
  }
  store.openCharges.delete(id)
  intent.next_action = null
  if (outcome === 'succeeded') succeed(store, intent)
  else if (intent.status !== 'canceled') fail(store, intent, rail, outcome)
}

/** Money that arrives after a cancel is an ordinary success (spec 1.5). */
function succeed(store: Store, intent: PaymentIntent): void {
  Object.assign(intent, { status: 'succeeded', canceled_at: null, cancellation_reason: null })
  record(store, 'payment_intent.succeeded', intent)
  for (const session of store.sessions.values()) {
    if (session.payment_intent !== intent.id) continue
    session.payment_status = 'paid'
    if (session.status === 'open') session.status = 'complete'
    session.url = null
  }
  settleInvoice(store, intent.invoice, intent.id)
}

function fail(store: Store, intent: PaymentIntent, rail: string, code: DeclineCode): void {
  intent.status = 'requires_payment_method'
  intent.last_payment_error = {
    type: 'rail_error',
    code,
    decline_code: code.toUpperCase(),
    message: `The rail refused: ${code}.`,
    payment_method_type: rail,
  }
  record(store, 'payment_intent.payment_failed', intent)
}
