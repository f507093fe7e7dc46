import type { Refund } from '../wire.ts'
import type { Form } from './parse-form.ts'
import { get, record, Refusal, type Store } from './store.ts'
import { AMOUNT_MAX, countOf, invalid, mergeMetadata, requireMsisdn, textIn } from './values.ts'

export function createRefund(store: Store, form: Form): Refund {
  const sent = countOf(form, 'amount', 1, AMOUNT_MAX)
  const { destination } = form
  const map = typeof destination === 'object' ? destination : {}
  const [rail] = Object.keys(map)
  if (rail === undefined) throw invalid('destination', 'is required and must be a map')
  requireMsisdn('destination', rail, map[rail])
  const intent = store.intents.get(textIn(form, 'payment_intent') ?? '')
  if (intent === undefined) throw invalid('payment_intent', 'is no payment intent')
  if (intent.status !== 'succeeded') {
    throw new Refusal(409, 'intent_not_succeeded', 'The payment intent is not paid.')
  }
  const refunded = [...store.refunds.values()]
    .filter((refund) => refund.payment_intent === intent.id && refund.status !== 'failed')
    .reduce((sum, { amount }) => sum + amount, 0)
  const rest = intent.amount - refunded
  const amount = sent ?? rest
  if (amount < 1 || amount > rest) throw invalid('amount', `must be at most ${rest}, the unrefunded rest`)
  const refund: Refund = {
    id: store.mint('re'),
    object: 'refund',
    amount,
    currency: intent.currency,
    payment_intent: intent.id,
    status: 'pending',
    fee: null,
    reason: textIn(form, 'reason') as Refund['reason'],
    failure_reason: null,
    destination_details: { type: rail },
    metadata: mergeMetadata(form['metadata'], {}),
    created: store.nowSec(),
    livemode: false,
  }
  store.refunds.set(refund.id, refund)
  record(store, 'charge.refunded', refund)
  return refund
}

/** An update that changes nothing writes no event. */
export function updateRefund(store: Store, id: string, form: Form): Refund {
  const refund = get(store.refunds, id, 'refund')
  const before = JSON.stringify(refund.metadata)
  refund.metadata = mergeMetadata(form['metadata'], refund.metadata)
  if (JSON.stringify(refund.metadata) !== before) record(store, 'charge.refund.updated', refund)
  return refund
}

/** Spec 3.5: no refund of the create call can be canceled. */
export function cancelRefund(store: Store, id: string): never {
  get(store.refunds, id, 'refund')
  throw new Refusal(409, 'refund_not_cancelable', 'The refund cannot be canceled.')
}
