import { Refusal } from '@merchant-payments/contract'
import { changeOnce, type Changed, claimFor, type StaffRequest } from '../../audit/change.ts'
import type { Deps } from '../../deps.ts'
import { finishKey } from '../../idempotency/store.ts'
import { type MerchantId, parseId, type PaymentIntentId } from '../../ids.ts'
import { noSuchIntent } from '../../payment-intents/cancel.ts'
import { parseMsisdn } from '../../phone.ts'
import { answerOf, commitRefund, notSupported, RACES_MAX } from '../../refunds/create.ts'
import { notSucceeded, parseAim, planRefund } from '../../refunds/new-refund.ts'
import { listChargesOf } from '../charges/store.ts'
import { findIntentRow } from '../payment-intents/store.ts'

interface Wanted {
  /** Null: all that is left of the intent. */
  readonly amountMinor: number | null
  /** Null: the number that paid. */
  readonly msisdn: string | null
}

/** Charges of an intent among which the one that was paid is looked for: it is the newest but for duplicates. */
const CHARGES_MAX = 100

type RefundDeps = Pick<Deps, 'db' | 'clock' | 'rails' | 'deployment'>

/**
 * The first commit of the merchant's own command: refund, reservation and `charge.refunded`, with the instruction
 * unsent. The worker's next pass instructs the rail, as it does for each refund that the rail certainly does not have.
 */
export function refundStaffIntent(
  deps: RefundDeps,
  request: StaffRequest,
  idText: string,
  wanted: Wanted,
): Promise<Changed> {
  const id = parseId('pi', idText)
  if (id === null) throw noSuchIntent()
  return changeOnce(deps, request, { action: 'refund.create', target: id }, async (db) => {
    const intent = await findIntentRow(db.reader, id)
    if (intent === undefined) throw noSuchIntent()
    const merchantId = intent.merchant_id as MerchantId
    const claim = claimFor(request, merchantId)
    const nowMs = deps.clock()
    const { amountMinor } = wanted
    const destination = await destinationOf({ ...deps, db }, merchantId, id, wanted.msisdn)
    const asked = { paymentIntent: id, amountMinor, reason: null, metadata: {}, destination }
    const aim = parseAim(deps, asked)
    if (aim instanceof Refusal) throw aim
    if (aim.destination.rail.refunds === null) throw notSupported()
    for (let races = 0; races < RACES_MAX; races += 1) {
      const planned = await planRefund({ db }, merchantId, aim, asked, nowMs)
      if (planned instanceof Refusal) throw planned
      const refund = { ...planned.refund, instruction: 'unsent' } as const
      const fence = await commitRefund({ db }, claim, { ...planned, refund, dueAtMs: nowMs })
      if (fence === null) continue
      await finishKey(db, claim, fence, answerOf(refund), nowMs)
      return {
        merchantId,
        before: { refund_reserved: intent.refund_reserved },
        after: { refund: refund.id, amount: refund.amountMinor, currency: refund.currency },
      }
    }
    throw new Error('the reservation of a payment intent kept changing')
  })
}

/** On the rail that took the payment. The number that paid is forgotten with its customer, and a page of a rail never told it. */
async function destinationOf(
  { db, deployment }: Pick<Deps, 'db' | 'deployment'>,
  merchantId: MerchantId,
  id: PaymentIntentId,
  named: string | null,
) {
  const charges = await listChargesOf(db.reader, merchantId, id, CHARGES_MAX)
  const paid = charges.find(({ status }) => status === 'succeeded')
  if (paid === undefined) throw notSucceeded()
  const { defaultCountryCode } = deployment
  const given = named ?? paid.payer_msisdn ?? ''
  const isKnown = named !== null || /^\d+$/.test(given)
  if (!isKnown)
    throw new Refusal('invalid_request', 'is required: nobody knows who paid', { param: 'msisdn' })
  return { [paid.rail]: { msisdn: parseMsisdn(given, defaultCountryCode, 'msisdn') } }
}
