import { Refusal, type StaffCharge } from '@merchant-payments/contract'
import { type ChargeRuling, type Tx, within } from '@merchant-payments/db'
import type { Approval, RequestedChange } from '../../approvals/approval.ts'
import { requestApproval } from '../../approvals/request.ts'
import { beforeOf, type Held, heldIfFound, heldRow } from '../../audit/before.ts'
import { type Change, changeOnce, type Changed, type StaffRequest } from '../../audit/change.ts'
import type { AuditFacts, Staff } from '../../audit/render.ts'
import { alertOfChange } from '../../audit/alert.ts'
import { isEnded } from '../ladder.ts'
import { pullForwardIn } from '../store.ts'
import type { Deps } from '../../deps.ts'
import { type ChargeId, idIn, idOf, idOrNull, type MerchantId } from '../../base/ids.ts'
import { spend, type StaffDeps } from '../../staff/limits.ts'
import { type ChargeRow, isPaid, reportOf } from './render.ts'
import { secondsOrNull } from '../../base/clock.ts'
import { findContradiction } from '../../statements/evidence-store.ts'
import { findCharge, findCharges, findProvenBy, holdCharge, holdQueries, rule } from './store.ts'

export const noSuchCharge = () => new Refusal('resource_missing', 'No such charge.')

/** Acts like a callback: the next query is due, but never sooner than the interval after the last one. */
export function queryCharge(
  deps: Pick<Deps, 'db' | 'clock'>,
  request: StaffRequest,
  idText: string,
): Promise<Changed> {
  const id = idIn('ch', idText, noSuchCharge)
  return changeOnce(deps, request, { action: 'charge.query', target: id }, async (db, tx) => {
    await holdQueries(tx, id)
    const before = heldIfFound(await findCharge(db.reader, id))
    if (before === undefined) throw noSuchCharge()
    if (!isQueried(before)) {
      throw new Refusal('charge_not_queryable', 'The charge is paid, or is still being submitted.')
    }
    await pullForwardIn(db, before, deps.clock())
    const after = await findCharge(db.reader, id)
    return {
      merchantId: before.merchant_id as MerchantId,
      before: beforeOf(before, (row) => ({ next_query_at: secondsOrNull(row.next_query_at) })),
      after: { next_query_at: secondsOrNull(after?.next_query_at ?? null) },
    }
  })
}

/** Brings the next query of each queryable charge forward. @returns what changed for each */
export async function queryMany(tx: Tx, uuids: readonly string[], nowMs: number) {
  const session = within(tx)
  const { reader } = session
  const before = (await findCharges(reader, uuids)).filter(isQueried)
  for (const charge of before) await pullForwardIn(session, charge, nowMs)
  const after = new Map((await findCharges(reader, uuids)).map((row) => [row.id, row.next_query_at]))
  return before.map(({ id, merchant_id, next_query_at }) => ({
    uuid: id,
    merchantId: merchant_id as MerchantId,
    before: { next_query_at: secondsOrNull(next_query_at) },
    after: { next_query_at: secondsOrNull(after.get(id) ?? null) },
  }))
}

/** A charge that has ended is queried again although its watch is over. */
const isQueried = (charge: ChargeRow): boolean =>
  isEnded(charge) || (charge.next_query_at !== null && charge.status !== 'submitting')

interface WantedRuling {
  readonly outcome: ChargeRuling
  readonly statement: string | null
  readonly seenReport: SeenReport | null
}

type SeenReport = Pick<NonNullable<StaffCharge['reported']>, 'amount' | 'currency'>

const isSameReport = (one: SeenReport | null, other: SeenReport | null): boolean =>
  one === null || other === null
    ? one === other
    : one.amount === other.amount && one.currency === other.currency

const changedSince = () =>
  new Refusal(
    'charge_changed',
    'The rail reports other money about this charge than you saw. Look at the charge again before you rule on it.',
  )

/**
 * Records a ruling, which the settle pass applies. Success needs a second person, because it makes the payment
 * refundable.
 *
 * @throws Refusal charge_changed if the rail reports other money than the author saw
 */
export async function resolveCharge(
  deps: Pick<StaffDeps, 'db' | 'clock' | 'alert' | 'staffLimits'>,
  request: StaffRequest,
  idText: string,
  { outcome, statement, seenReport }: WantedRuling,
): Promise<Changed> {
  const id = idIn('ch', idText, noSuchCharge)
  if (outcome === 'failed' && statement !== null) {
    throw new Refusal('invalid_request', 'is allowed only with the outcome succeeded', { param: 'statement' })
  }
  const change = changeOnce(deps, request, { action: 'charge.resolve', target: id }, async (db, tx) => {
    const found = await findCharge(db.reader, id)
    if (found === undefined) throw noSuchCharge()
    const { amount: amountMinor, currency } = found
    await spend(deps, tx, request, { kind: 'rulings', count: 1, amountMinor, currency })
    const charge = await lockCharge(tx, id)
    if (!isSameReport(reportOf(charge), seenReport)) throw changedSince()
    if (outcome === 'failed')
      return makeRuling(tx, id, outcome, rulingBy(request.staff, request.reason, null))
    const addsProof = charge.unproven && statement !== null
    if (isPaid(charge) ? !addsProof : !isRulable(charge, deps.clock())) throw notResolvable()
    await refuseStatement(tx, charge, statement)
    const requested: RequestedChange = {
      kind: 'charge.resolve',
      target: id,
      merchantId: charge.merchant_id as MerchantId,
      intentId: idOf('pi', charge.payment_intent_id),
      customerId: idOrNull('cus', charge.customer_id),
      amountMinor: charge.amount,
      currency: charge.currency,
      destination: null,
      statement,
      seen: factsOf(charge),
    }
    return requestApproval(deps, tx, requested, request)
  })
  return alertOfChange(deps, request, change)
}

export const makeApprovedRuling = (
  tx: Tx,
  { target, requestedBy, reason, statement = null }: Approval,
): Promise<Change> => {
  const id = idIn('ch', target, noSuchCharge)
  return makeRuling(tx, id, 'succeeded', rulingBy(requestedBy, reason, statement))
}

const rulingBy = (
  { subject: operator }: Pick<Staff, 'subject'>,
  reason: string,
  statement: string | null,
) => ({ operator, reason, statement })

async function makeRuling(
  tx: Tx,
  id: ChargeId,
  outcome: ChargeRuling,
  by: { operator: string; reason: string; statement: string | null },
): Promise<Change> {
  const charge = await lockCharge(tx, id)
  await refuseStatement(tx, charge, by.statement)
  if (!(await rule(tx, id, { outcome, ...by }))) throw notResolvable()
  const { status } = charge
  return {
    merchantId: charge.merchant_id as MerchantId,
    before: beforeOf(charge, factsOf),
    after: { status, ruling: outcome, ...(by.statement !== null && { statement: by.statement }) },
  }
}

/** A transaction of a rail pays one charge, with the charge's money, and no statement says otherwise. The charge is locked. */
async function refuseStatement(tx: Tx, charge: ChargeRow, statement: string | null): Promise<void> {
  if (statement === null) return
  const { rail, amount, currency, reference } = charge
  const refuse = (message: string) => new Refusal('charge_not_resolvable', message, { param: 'statement' })
  const other = await findProvenBy(tx, rail, statement, idOf('ch', charge.id))
  if (other !== null) throw refuse(`already proves the charge ${other}`)
  const listed = await findContradiction(tx, {
    rail,
    transaction: statement,
    amountMinor: amount,
    currency,
    reference,
  })
  if (listed === undefined) return
  if (listed.amount < 0) {
    const named = listed.transaction === null ? '' : `, as ${listed.transaction}`
    throw refuse(
      `The rail’s statement lists ${-listed.amount} ${listed.currency} as reversed, in minor units${named}.`,
    )
  }
  if (listed.other !== null) {
    throw refuse(
      `The rail’s statement lists this transaction as the payment of the charge ${idOf('ch', listed.other)}.`,
    )
  }
  const what = listed.kind === 'charge' ? 'payment' : 'payout'
  throw refuse(
    `The rail’s statement lists this transaction as a ${what} of ${listed.amount} ${listed.currency}. The charge is of ${amount} ${currency}, in minor units.`,
  )
}

async function lockCharge(tx: Tx, id: ChargeId): Promise<Held<ChargeRow>> {
  await holdCharge(tx, id)
  const charge = await findCharge(within(tx).reader, id)
  if (charge === undefined) throw noSuchCharge()
  return heldRow(charge)
}

/**
 * A charge has changed if a statement has proven it, or the rail has reported other money. Without these the facts
 * are those of earlier releases, whose requests can still be approved.
 */
const factsOf = (charge: ChargeRow): AuditFacts => {
  const { status, ruling, unproven } = charge
  const reported = reportOf(charge)
  return {
    status,
    ruling,
    ...(unproven && { unproven }),
    ...(reported !== null && { reported_amount: reported.amount, reported_currency: reported.currency }),
  }
}

/** The same condition as in the database's `ops_resolve_charge`. */
const isRulable = ({ status, submit_deadline: deadlineMs }: ChargeRow, nowMs: number): boolean =>
  status !== 'submitting' || nowMs >= deadlineMs

const notResolvable = () =>
  new Refusal('charge_not_resolvable', 'The charge already has this outcome, or is still being submitted.')
