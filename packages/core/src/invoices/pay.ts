import { Refusal } from '@merchant-payments/contract'
import type { Deps } from '../deps.ts'
import { answerOnce } from '../commit/answer-once.ts'
import { type Answer, type KeyClaim, okAnswer } from '../commit/key.ts'
import { freshIntent, type Intent } from '../payment-intents/intent.ts'
import { judgeConfirmable, settlesIn } from '../payment-intents/judge-confirmable.ts'
import type { RailCode, Rails } from '../rails/port.ts'
import type { Invoice } from './invoice.ts'
import { getStanding, payable } from './moves.ts'
import { invoiceCharging } from './refusals.ts'
import { renderInvoice } from './render.ts'
import { type Standing, writeInvoice } from './store.ts'

/**
 * Spec 2.6. At most one intent can pay the invoice. A waiting intent that its payer can no longer confirm is refused
 * until the merchant cancels it.
 */
export function payInvoice(
  deps: Pick<Deps, 'db' | 'clock' | 'rails'>,
  claim: KeyClaim,
  idText: string,
): Promise<Answer> {
  const { rails } = deps
  return answerOnce(deps, claim, {
    table: 'invoices',
    idText,
    read: (db) => getStanding(db, claim, idText),
    write: async ({ writer }, standing, nowMs) => {
      const before = payable(standing)
      // Asked also while an intent waits. Without a rail, a merchant would cancel that intent in vain.
      const usable = railsFor(rails, before)
      const intent = isWaiting(rails, standing) ? null : mintIntent(before, usable, nowMs)
      const after = intent === null ? before : { ...before, intentId: intent.id }
      const answer = okAnswer(claim, renderInvoice(after, standing.items))
      const change = { before, after, event: null }
      return writeInvoice(writer, claim, { change, intent, answer }, nowMs)
    },
  })
}

function isWaiting(rails: Rails, { invoice, intent, customerErased }: Standing): boolean {
  if (intent === null || intent.status === 'canceled') return false
  if (intent.status !== 'requires_payment_method') throw invoiceCharging()
  const { currency, id: invoiceId } = invoice
  const { paymentMethodTypes, attempts } = intent
  const refusal = judgeConfirmable(
    rails,
    { currency, invoiceId, paymentMethodTypes },
    { attempts, customerErased },
  )
  if (refusal !== null) throw refusal
  return true
}

function mintIntent(
  invoice: Invoice,
  paymentMethodTypes: readonly RailCode[],
  nowMs: number,
): Intent<'requires_payment_method'> {
  const { merchantId, currency, customerId, description, livemode } = invoice
  return freshIntent(
    {
      merchantId,
      amountMinor: invoice.totalMinor,
      currency,
      paymentMethodTypes,
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
  const usable = offered.filter((code) => settlesIn(rails, code, currency))
  if (usable.length > 0) return usable
  const message = `has no rail that this deployment enables and that settles in ${currency}. A finalized invoice keeps its list: enable such a rail, or void the invoice`
  throw new Refusal('invalid_request', message, { param: 'payment_method_types' })
}
