import { Refusal } from '@merchant-payments/contract'
import type { Session, Tx } from '@merchant-payments/db'
import { type Approval, requestedAtMs } from '../../approvals/approval.ts'
import { requestApproval } from '../../approvals/request.ts'
import { heldRow } from '../../audit/before.ts'
import { asMerchant, type Change, changeOnce, type Changed, type StaffRequest } from '../../audit/change.ts'
import { numberFacts } from '../../audit/numbers-store.ts'
import { alertOfChange } from '../../audit/alert.ts'
import type { CommandDeps } from '../../deps.ts'
import { finishKey } from '../../commit/answers.ts'
import type { KeyClaim } from '../../commit/key.ts'
import { untilWritten } from '../../commit/until-written.ts'
import { idIn, type MerchantId, type PaymentIntentId } from '../../base/ids.ts'
import { noSuchIntent } from '../../payment-intents/refusals.ts'
import { type Msisdn, msisdnIn, parseMsisdn } from '../../base/phone.ts'
import { answerOf, commitRefund } from '../create.ts'
import { notSucceeded, notSupported } from '../refusals.ts'
import { judgePaid, type NewRefund, parseTarget, planRefund, readRefundable } from '../new-refund.ts'
import type { Refund } from '../refund.ts'
import type { Refundable } from '../store.ts'
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
  /** As the author saw it. Null compares nothing. */
  readonly seenReservedMinor: number | null
}

/** A number that is read from the payment was known before any erasure that has not cleared it yet. */
export const KNOWN_BEFORE_MS = 0

/** The paid charge is the newest one, except for duplicates. */
const CHARGES_MAX = 100

type RefundDeps = Pick<CommandDeps, 'db' | 'clock' | 'rails' | 'deployment'>
type AskDeps = RefundDeps & Pick<StaffDeps, 'db' | 'alert' | 'staffLimits'>

/**
 * Leaves the instruction unsent, for the worker's next pass. A refund to a number that is not known to be the
 * payer's needs a second person.
 *
 * @throws Refusal intent_changed if refunds hold another amount than the author saw
 */
export async function refundStaffIntent(
  deps: AskDeps,
  request: StaffRequest,
  idText: string,
  wanted: Wanted,
): Promise<Changed> {
  const id = idIn('pi', idText, noSuchIntent)
  const change = changeOnce(deps, request, { action: 'refund.create', target: id }, async (db, tx) => {
    const intent = await getIntentRow(db, id)
    const payee = await payeeOf({ ...deps, db }, intent, id, wanted.msisdn)
    const count = spending(deps, tx, request)
    const seen =
      wanted.seenReservedMinor === null
        ? null
        : { reservedMinor: wanted.seenReservedMinor, changed: changedSince }
    const knownSinceMs = wanted.msisdn === null ? KNOWN_BEFORE_MS : undefined
    const terms = { id, intent, payee, amountMinor: wanted.amountMinor, knownSinceMs, seen, count }
    return payee.isPayer
      ? makeRefund({ ...deps, db }, request, terms)
      : askFor({ ...deps, db }, tx, request, terms)
  })
  return alertOfChange(deps, request, change)
}

export async function makeApprovedRefund(
  deps: RefundDeps,
  request: StaffRequest,
  approval: Approval,
): Promise<Change> {
  const { target, destination, amountMinor } = approval
  const id = idIn('pi', target, noSuchIntent)
  if (destination === null) throw numberIsGone()
  const intent = await getIntentRow(deps.db, id)
  const payee = await payeeOf(deps, intent, id, destination)
  const seen = { reservedMinor: Number(approval.seen['refund_reserved']), changed: refundedMeanwhile }
  const knownSinceMs = requestedAtMs(approval)
  return makeRefund(deps, request, { id, intent, payee, amountMinor, knownSinceMs, seen })
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
  /** Since when the number is known, if the request does not name it. */
  readonly knownSinceMs?: number | undefined
  readonly seen: { readonly reservedMinor: number; readonly changed: () => Refusal } | null
  /** Counts to the requester's day before any lock. Absent for an approved refund, which was counted. */
  readonly count?: (refund: Refund) => Promise<void>
}

/** A later plan counts only the difference, because a refund of the remainder can have another amount each time. */
function spending(deps: Pick<StaffDeps, 'clock' | 'staffLimits'>, tx: Tx, request: StaffRequest) {
  let countedMinor: number | null = null
  return async ({ amountMinor, currency }: Refund): Promise<void> => {
    const count = countedMinor === null ? 1 : 0
    const moreMinor = amountMinor - (countedMinor ?? 0)
    countedMinor = amountMinor
    await spend(deps, tx, request, { kind: 'refunds', count, amountMinor: moreMinor, currency })
  }
}

const seenOf = ({ reservedMinor }: NewRefund) => ({ refund_reserved: reservedMinor })

const readIntent = (db: Session, { id, intent }: Terms): Promise<Refundable | undefined> =>
  readRefundable(db, intent.merchant_id as MerchantId, id)

function plan(deps: RefundDeps, terms: Terms, found: Refundable | undefined, nowMs: number): NewRefund {
  const { id, intent, payee, amountMinor, knownSinceMs, seen } = terms
  const erasedAtMs = found?.erasedAtMs ?? null
  if (erasedAtMs !== null && knownSinceMs !== undefined && erasedAtMs >= knownSinceMs)
    throw knownSinceMs === KNOWN_BEFORE_MS ? numberUnknown() : numberIsGone()
  // Before the destination is parsed: a rail that only this process does not know is no fault of the request.
  if (refundsIn(deps.rails.get(payee.rail), intent.currency) === null) throw notSupported()
  const destination = { [payee.rail]: { msisdn: payee.msisdn } }
  const asked = { paymentIntent: id, amountMinor, reason: null, metadata: {}, destination }
  const target = parseTarget(deps, asked)
  if (target instanceof Refusal) throw target
  const paid = judgePaid(found, target)
  if (paid instanceof Refusal) throw paid
  // Before the amount is judged, which may have been left when the author looked.
  if (seen !== null && paid.reservedMinor !== seen.reservedMinor) throw seen.changed()
  const planned = planRefund(paid, target, asked, nowMs)
  if (planned instanceof Refusal) throw planned
  return planned
}

async function askFor(deps: RefundDeps, tx: Tx, request: StaffRequest, terms: Terms): Promise<Change> {
  const merchantId = terms.intent.merchant_id as MerchantId
  const planned = await asMerchant(deps.db, request, merchantId, async () =>
    plan(deps, terms, await readIntent(deps.db, terms), deps.clock()),
  )
  const { refund } = planned
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
    seen: seenOf(planned),
  } as const
  const number = await numberFacts(tx, asked, terms.payee.msisdn, terms.payee.isPayer)
  return requestApproval(deps, tx, asked, request, number)
}

const makeRefund = (deps: RefundDeps, request: StaffRequest, terms: Terms): Promise<Change> =>
  asMerchant(deps.db, request, terms.intent.merchant_id as MerchantId, (claim) =>
    makeClaimed(deps, claim, terms),
  )

async function makeClaimed(deps: RefundDeps, claim: KeyClaim, terms: Terms): Promise<Change> {
  const { payee } = terms
  const { merchantId } = claim
  const row = { table: 'payment_intents', merchantId, idText: terms.id } as const
  const { refund, fence, before } = await untilWritten(deps, row, {
    read: (db) => readIntent(db, terms),
    write: async (db, found, nowMs) => {
      const planned = plan(deps, terms, found, nowMs)
      await terms.count?.(planned.refund)
      const opening = { ...planned.refund, instruction: 'unsent' } as const
      const { openedAtMs: dueAtMs } = opening
      // Compared also for a named amount, because the audit entry says what was reserved before.
      const { reservedMinor } = planned
      const { knownSinceMs } = terms
      const opened = { refund: opening, dueAtMs }
      const held = await commitRefund({ db }, claim, opened, { reservedMinor, knownSinceMs })
      return held === null ? null : { refund: opening, fence: held, before: heldRow(seenOf(planned)) }
    },
  })
  // Lock order: the intent, which each refund of it has locked, and then its key for hashes of numbers.
  const number = await numberFacts(deps.db.writer, refund, payee.msisdn, payee.isPayer)
  await finishKey(deps.db, claim, fence, answerOf(claim, refund), refund.openedAtMs)
  return {
    merchantId,
    before,
    after: { refund: refund.id, amount: refund.amountMinor, currency: refund.currency, ...number },
  }
}

const changedSince = () =>
  new Refusal(
    'intent_changed',
    'The refunds of this payment have changed since you saw it. Look at the payment again before you refund it.',
  )

const refundedMeanwhile = () =>
  new Refusal('approval_obsolete', 'The payment has been refunded since the request was made.')

export const numberUnknown = () =>
  new Refusal('invalid_request', 'is required, because the payer’s number is not known', { param: 'msisdn' })

/** The number that paid is unknown if its customer was erased, or the payer paid on a page of the rail. */
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
  if (msisdn === null) throw numberUnknown()
  return { rail: paid.rail as RailCode, msisdn, isPayer: msisdn === payer }
}
