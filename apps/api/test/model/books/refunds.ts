import { type Call, named, own, type Rule } from './call.ts'
import { CREATED, idIn, wasMade } from './filters.ts'
import { canonicalPhone, type Form, isSame, merged } from './form.ts'
import type { Intent, Refund } from './objects.ts'
import { page } from './pages.ts'
import { isRail, type RailCode, rails, transferRefusals } from './rails.ts'
import { renderRefund } from './render.ts'
import { type Books, mint, type Shop, tell } from './state.ts'
import { bad, Refused } from './verdict.ts'

/** Spec 4.5: written as pending, reserved and told; then its rail is instructed, whose refusal is told once it is proven. */
export const createRefund: Rule = (call) => {
  const { books, shop, form, nowMs, throttled } = call
  const wanted = wantedRefund(form)
  if (call.linked !== undefined) throw new Refused('not_supported')
  const intent = named(shop.intents, wanted.intent, 'payment_intent')
  if (intent.status !== 'succeeded') throw new Refused('intent_not_succeeded')
  const taker = intent.charges.find(({ state }) => state === 'succeeded')
  const { rail, number, reason, metadata } = wanted
  if (taker?.rail !== rail) throw bad('destination')
  const left = leftOf(shop, intent)
  const amount = wanted.amount ?? left
  if (left === 0 || amount > left) throw bad('amount')
  const refusal = transferRefusals[number.slice(-3)] ?? null
  const refund: Refund = {
    id: mint(books, 're'),
    madeMs: nowMs,
    intent: intent.id,
    amount,
    reason,
    rail,
    status: 'pending',
    failure: null,
    metadata,
    unsent: throttled ? { refusal } : undefined,
    doubt: refusal === null || throttled ? undefined : { refusal, looks: 0 },
  }
  shop.refunds.push(refund)
  call.begin(refund)
  const body = renderRefund(refund, intent)
  tell(books, shop, 'charge.refunded', body, nowMs)
  if (rails[rail].flow === 'redirect') {
    fail(call, refund, 'not_supported')
    throw new Refused('not_supported')
  }
  return body
}

function wantedRefund(form: Form) {
  if (form.text('charge') !== undefined) throw bad('charge')
  const intent = form.required('payment_intent')
  const amount = form.amount()
  const reason = form.oneOf('reason', ['duplicate', 'fraudulent', 'requested_by_customer'])
  const metadata = merged({}, form.metadata())
  const destinations = form.pairs.filter(([name]) => name.startsWith('destination['))
  if (destinations.length === 0) throw bad('destination')
  if (!intent.startsWith('⟨pi ')) throw bad('payment_intent')
  return { intent, amount, reason, metadata, ...destinationIn(form, destinations[0]?.[0] ?? '') }
}

function destinationIn(form: Form, name: string): { rail: RailCode; number: string } {
  const code = /\[(\w+)\]/.exec(name)?.[1] ?? ''
  if (!isRail(code)) throw bad('destination')
  const param = `destination[${code}][msisdn]`
  return { rail: code, number: canonicalPhone(form.required(param), param) }
}

/** What refunds do not hold of an intent: one that failed holds nothing (spec 3.5). */
export const leftOf = ({ refunds }: Shop, { id, amount }: Intent): number =>
  refunds
    .filter(({ intent, status }) => intent === id && status === 'pending')
    .reduce((left, refund) => left - refund.amount, amount)

function fail({ books, shop, nowMs }: Pick<Call, 'books' | 'shop' | 'nowMs'>, refund: Refund, why: string) {
  refund.status = 'failed'
  refund.failure = why
  refund.unsent = undefined
  refund.doubt = undefined
  tell(books, shop, 'charge.refund.updated', renderRefund(refund, intentOf(shop, refund)), nowMs)
}

const intentOf = ({ intents }: Shop, { intent: id }: Refund): Intent => {
  const intent = intents.find((one) => one.id === id)
  if (intent === undefined) throw new Error('a refund has an intent')
  return intent
}

export const retrieveRefund: Rule = ({ shop, id }) => {
  const refund = own(shop.refunds, id)
  return renderRefund(refund, intentOf(shop, refund))
}

export const listRefunds: Rule = (call) => {
  const { shop, form } = call
  const isOfIntent = idIn(form, 'payment_intent', 'pi')
  return page(call, {
    url: '/v1/refunds',
    kind: 're',
    rows: shop.refunds.filter(wasMade(form)).filter(({ intent }) => isOfIntent(intent)),
    render: (refund) => renderRefund(refund, intentOf(shop, refund)),
    filters: ['payment_intent', ...CREATED],
  })
}

/** Spec 4.2: metadata only; any other parameter is a 400 naming it. */
export const updateRefund: Rule = ({ books, shop, id, form, nowMs }) => {
  const sent = form.metadata()
  const other = form.pairs.find(([name]) => !name.startsWith('metadata['))
  if (other !== undefined) throw bad(other[0].replace('[]', ''))
  const refund = own(shop.refunds, id)
  const metadata = merged(refund.metadata, sent)
  const isChange = !isSame(metadata, refund.metadata)
  refund.metadata = metadata
  const body = renderRefund(refund, intentOf(shop, refund))
  if (isChange) tell(books, shop, 'charge.refund.updated', body, nowMs)
  return body
}

/** Spec 3.5: refuses every refund that the create route produces. */
export const cancelRefund: Rule = ({ shop, id }) => {
  own(shop.refunds, id)
  throw new Refused('refund_not_cancelable')
}

/** docs/spec-gaps.md: a refusal that is not proven is believed after three looks, which are farther apart than two minutes. */
const LOOKS = 3

/** The worker sends what was never sent; of an erased customer it fails. */
export function instruct(books: Books, nowMs: number): void {
  for (const shop of books.shops.values()) {
    for (const refund of shop.refunds) {
      if (refund.doubt !== undefined) look({ books, shop, nowMs }, refund, refund.doubt)
      if (refund.unsent === undefined) continue
      const { refusal } = refund.unsent
      const { customer } = intentOf(shop, refund)
      const erasedMs = shop.customers.find(({ id }) => id === customer)?.erasedMs ?? null
      // What a merchant asks for after the erasure is a new wish, with a number of its own.
      const isErased = erasedMs !== null && erasedMs >= refund.madeMs
      refund.unsent = undefined
      if (isErased) fail({ books, shop, nowMs }, refund, 'customer_erased')
      else if (refusal !== null) refund.doubt = { refusal, looks: 0 }
    }
  }
}

function look(
  scene: Parameters<typeof fail>[0],
  refund: Refund,
  { refusal, looks }: NonNullable<Refund['doubt']>,
) {
  if (looks + 1 === LOOKS) fail(scene, refund, refusal)
  else refund.doubt = { refusal, looks: looks + 1 }
}
