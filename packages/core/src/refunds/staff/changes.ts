import { Refusal } from '@merchant-payments/contract'
import type { Session, Tx } from '@merchant-payments/db'
import type { Approval } from '../../approvals/approval.ts'
import { requestApproval } from '../../approvals/request.ts'
import { asMerchant, type Change, changeOnce, type Changed, type StaffRequest } from '../../audit/change.ts'
import { numberFacts } from '../../audit/numbers-store.ts'
import { alertOfChange } from '../../audit/alert.ts'
import type { CommandDeps } from '../../deps.ts'
import { finishKey } from '../../commit/answers.ts'
import type { KeyClaim } from '../../commit/key.ts'
import { untilWritten } from '../../commit/until-written.ts'
import { type MerchantId, parseId, type PaymentIntentId } from '../../base/ids.ts'
import { noSuchIntent } from '../../payment-intents/refusals.ts'
import { type Msisdn, msisdnIn, parseMsisdn } from '../../base/phone.ts'
import { answerOf, commitRefund } from '../create.ts'
import { notSucceeded, notSupported } from '../refusals.ts'
import { type NewRefund, parseTarget, planRefund } from '../new-refund.ts'
import type { Refund } from '../refund.ts'
import { refundsIn } from '../../rails/known.ts'
import type { RailCode } from '../../rails/port.ts'
import { spend, type StaffDeps } from '../../staff/limits.ts'
import { listChargesOf } from '../../charges/staff/store.ts'
import { findIntentRow, type StaffIntentRow } from '../../payment-intents/staff/store.ts'

interface Wanted {
  /** Null refunds all that is left of the intent. */
  readonly amountMinor: number | null
  /** Null pays the number that paid. */
  readonly msisdn: string | null
}

/** The paid charge is the newest one, except for duplicates. */
const CHARGES_MAX = 100

type RefundDeps = Pick<CommandDeps, 'db' | 'clock' | 'rails' | 'deployment'>
type AskDeps = RefundDeps & Pick<StaffDeps, 'db' | 'alert' | 'staffLimits'>

/**
 * Makes the first commit of the merchant's own command, with the instruction unsent. The worker's next pass
 * instructs the rail. A refund to a number that is not known to be the payer's needs a second person.
 */
export async function refundStaffIntent(
  deps: AskDeps,
  request: StaffRequest,
  idText: string,
  wanted: Wanted,
): Promise<Changed> {
  const id = parseId('pi', idText)
  if (id === null) throw noSuchIntent()
  const change = changeOnce(deps, request, { action: 'refund.create', target: id }, async (db, tx) => {
    const intent = await getIntentRow(db, id)
    const payee = await payeeOf({ ...deps, db }, intent, id, wanted.msisdn)
    const count = spending(deps, tx, request)
    const terms = { id, intent, payee, amountMinor: wanted.amountMinor, count }
    return payee.isPayer
      ? makeRefund({ ...deps, db }, request, terms)
      : askFor({ ...deps, db }, tx, request, terms)
  })
  return alertOfChange(deps, request, change)
}

export async function makeApprovedRefund(
  deps: RefundDeps,
  request: StaffRequest,
  { target, destination, amountMinor }: Approval,
): Promise<Change> {
  const id = parseId('pi', target)
  if (id === null) throw noSuchIntent()
  if (destination === null) throw numberIsGone()
  const intent = await getIntentRow(deps.db, id)
  const payee = await payeeOf(deps, intent, id, destination)
  return makeRefund(deps, request, { id, intent, payee, amountMinor, isAsSeen: true })
}

export const numberIsGone = () =>
  new Refusal('customer_erased', 'The number that would be paid was erased with its customer.')

async function getIntentRow({ reader }: Session, id: PaymentIntentId): Promise<StaffIntentRow> {
  const intent = await findIntentRow(reader, id)
  if (intent === undefined) throw noSuchIntent()
  return intent
}

interface Payee {
  readonly rail: RailCode
  readonly msisdn: Msisdn
  readonly isPayer: boolean
}

interface Terms {
  readonly id: PaymentIntentId
  readonly intent: StaffIntentRow
  readonly payee: Payee
  readonly amountMinor: number | null
  /** Refuses the refund if the intent's refunds hold another amount than `intent` says. */
  readonly isAsSeen?: boolean
  /** Counts to the requester's day, before it locks anything. Absent for an approved refund, which was counted. */
  readonly count?: (refund: Refund) => Promise<void>
}

/**
 * A refund of the remainder can have another amount each time it is planned, so a later plan counts only the
 * difference.
 */
function spending(deps: Pick<StaffDeps, 'clock' | 'staffLimits'>, tx: Tx, request: StaffRequest) {
  let countedMinor: number | null = null
  return async ({ amountMinor, currency }: Refund): Promise<void> => {
    const count = countedMinor === null ? 1 : 0
    const moreMinor = amountMinor - (countedMinor ?? 0)
    countedMinor = amountMinor
    await spend(deps, tx, request, { kind: 'refunds', count, amountMinor: moreMinor, currency })
  }
}

const seenOf = ({ intent }: Terms) => ({ refund_reserved: intent.refund_reserved })

async function plan(deps: RefundDeps, terms: Terms): Promise<NewRefund> {
  const { id, intent, payee, amountMinor, isAsSeen = false } = terms
  // Before the destination is parsed: a rail that only this process does not know is no fault of the request.
  if (refundsIn(deps.rails.get(payee.rail), intent.currency) === null) throw notSupported()
  const destination = { [payee.rail]: { msisdn: payee.msisdn } }
  const asked = { paymentIntent: id, amountMinor, reason: null, metadata: {}, destination }
  const target = parseTarget(deps, asked)
  if (target instanceof Refusal) throw target
  const planned = await planRefund(deps, intent.merchant_id as MerchantId, target, asked, deps.clock())
  if (!(planned instanceof Refusal)) return planned
  // The amount was left when the request was made.
  throw isAsSeen && planned.param === 'amount' ? refundedMeanwhile() : planned
}

async function askFor(deps: RefundDeps, tx: Tx, request: StaffRequest, terms: Terms): Promise<Change> {
  const merchantId = terms.intent.merchant_id as MerchantId
  const { refund } = await asMerchant(deps.db, request, merchantId, () => plan(deps, terms))
  await terms.count?.(refund)
  const asked = {
    kind: 'refund.create',
    target: terms.id,
    merchantId: refund.merchantId,
    intentId: terms.id,
    customerId: refund.customerId,
    // The amount that is left now, because an approval is for a fixed amount.
    amountMinor: refund.amountMinor,
    currency: refund.currency,
    destination: terms.payee.msisdn,
    seen: seenOf(terms),
  } as const
  const number = await numberFacts(tx, asked, terms.payee.msisdn, terms.payee.isPayer)
  return requestApproval(tx, asked, request, { nowMs: deps.clock(), number })
}

const makeRefund = (deps: RefundDeps, request: StaffRequest, terms: Terms): Promise<Change> =>
  asMerchant(deps.db, request, terms.intent.merchant_id as MerchantId, (claim) =>
    makeClaimed(deps, claim, terms),
  )

async function makeClaimed(deps: RefundDeps, claim: KeyClaim, terms: Terms): Promise<Change> {
  const { intent, payee, isAsSeen = false } = terms
  const { merchantId } = claim
  const row = { table: 'payment_intents', merchantId, idText: terms.id } as const
  const { refund, fence } = await untilWritten(deps.db, row, async (db) => {
    const planned = await plan({ ...deps, db }, terms)
    await terms.count?.(planned.refund)
    const opening = { ...planned.refund, instruction: 'unsent' } as const
    const { openedAtMs: dueAtMs } = opening
    const reservedMinor = isAsSeen ? intent.refund_reserved : planned.reservedMinor
    const held = await commitRefund({ db }, claim, { refund: opening, dueAtMs, reservedMinor })
    if (held === null && isAsSeen) throw refundedMeanwhile()
    return held === null ? null : { refund: opening, fence: held }
  })
  // Lock order: the intent, which each refund of it has locked, and then its key for hashes of numbers.
  const number = await numberFacts(deps.db.writer, refund, payee.msisdn, payee.isPayer)
  await finishKey(deps.db, claim, fence, answerOf(claim, refund), refund.openedAtMs)
  return {
    merchantId,
    before: seenOf(terms),
    after: { refund: refund.id, amount: refund.amountMinor, currency: refund.currency, ...number },
  }
}

const refundedMeanwhile = () =>
  new Refusal('approval_obsolete', 'The payment has been refunded since the request was made.')

/** The number that paid is lost if its customer was erased, and unknown if the payer paid on a page of the rail. */
async function payeeOf(
  { db, deployment }: Pick<CommandDeps, 'db' | 'deployment'>,
  { merchant_id: merchantId }: StaffIntentRow,
  id: PaymentIntentId,
  named: string | null,
): Promise<Payee> {
  const charges = await listChargesOf(db.reader, merchantId as MerchantId, id, CHARGES_MAX)
  const paid = charges.find(({ status }) => status === 'succeeded')
  if (paid === undefined) throw notSucceeded()
  const payer = msisdnIn(paid.payer_msisdn)
  const msisdn = named === null ? payer : parseMsisdn(named, deployment.defaultCountryCode, 'msisdn')
  if (msisdn === null) {
    throw new Refusal('invalid_request', 'is required, because the payer’s number is not known', {
      param: 'msisdn',
    })
  }
  return { rail: paid.rail as RailCode, msisdn, isPayer: msisdn === payer }
}
