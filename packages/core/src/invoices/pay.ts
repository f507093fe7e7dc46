import { Refusal } from '@merchant-payments/contract'
import type { Deps } from '../deps.ts'
import { answerOnce } from '../commit/answer-once.ts'
import { type Answer, type KeyClaim, okAnswer } from '../commit/key.ts'
import { customerErased } from '../commit/create-once.ts'
import { freshIntent } from '../payment-intents/create.ts'
import type { Intent } from '../payment-intents/intent.ts'
import type { RailCode, Rails } from '../rails/port.ts'
import type { Invoice } from './invoice.ts'
import { getStanding, payable } from './moves.ts'
import { invoiceCharging } from './refusals.ts'
import { renderInvoice } from './render.ts'
import { type Standing, writeInvoice } from './store.ts'

/**
 * Spec 2.6. Returns the existing intent while it waits, and replaces a canceled one. At most one intent can pay the
 * invoice.
 */
export async function payInvoice(
  { db, clock, rails }: Pick<Deps, 'db' | 'clock' | 'rails'>,
  claim: KeyClaim,
  idText: string,
): Promise<Answer> {
  const nowMs = clock()
  const row = { table: 'invoices', idText } as const
  return answerOnce(db, { claim, nowMs, row }, async (session) => {
    const standing = await getStanding(session, claim, idText)
    const before = payable(standing)
    const intent = isWaiting(standing) ? null : mintIntent(rails, before, nowMs)
    const after = intent === null ? before : { ...before, intentId: intent.id }
    const answer = okAnswer(claim, renderInvoice(after, standing.items))
    const change = { before, after, event: null }
    const written = await writeInvoice(session.writer, claim, { change, intent, answer }, nowMs)
    if (written.kind === 'customer_erased') throw customerErased()
    return written.kind === 'written' ? written.answer : null
  })
}

function isWaiting({ intentStatus }: Standing): boolean {
  if (intentStatus === null || intentStatus === 'canceled') return false
  if (intentStatus === 'requires_payment_method') return true
  throw invoiceCharging()
}

function mintIntent(rails: Rails, invoice: Invoice, nowMs: number): Intent<'requires_payment_method'> {
  const { merchantId, currency, customerId, description, livemode } = invoice
  return freshIntent(
    {
      merchantId,
      amountMinor: invoice.totalMinor,
      currency,
      paymentMethodTypes: railsFor(rails, invoice),
      customerId,
      description,
      metadata: {},
      livemode,
      invoiceId: invoice.id,
    },
    nowMs,
  )
}

function railsFor(rails: Rails, { paymentMethodTypes, currency }: Invoice): RailCode[] {
  const offered = paymentMethodTypes.length === 0 ? [...rails.keys()] : paymentMethodTypes
  const usable = offered.filter((code) => rails.get(code)?.capabilities.settlementCurrency === currency)
  if (usable.length > 0) return usable
  const message = `has no rail that this deployment enables and that settles in ${currency}`
  throw new Refusal('invalid_request', message, { param: 'payment_method_types' })
}
