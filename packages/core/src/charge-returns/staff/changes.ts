import { Refusal } from '@merchant-payments/contract'
import { type Approval, requestedAtMs } from '../../approvals/approval.ts'
import { requestApproval } from '../../approvals/request.ts'
import { heldRow } from '../../audit/before.ts'
import { type Change, changeOnce, type Changed, type StaffRequest } from '../../audit/change.ts'
import { openReturn } from '../store.ts'
import { numberFacts } from '../../audit/numbers-store.ts'
import { alertOfChange } from '../../audit/alert.ts'
import type { CommandDeps } from '../../deps.ts'
import { type ChargeId, idIn, idOf, idOrNull, type MerchantId, mintId } from '../../base/ids.ts'
import { submitDeadlineOf } from '../../rails/deadlines.ts'
import { type Msisdn, msisdnIn, parseMsisdn } from '../../base/phone.ts'
import { refundsIn } from '../../rails/known.ts'
import type { RailAdapter, RailCode } from '../../rails/port.ts'
import { notSupported, unproven } from '../../refunds/refusals.ts'
import { spend, type StaffDeps } from '../../staff/limits.ts'
import { noSuchCharge } from '../../charges/staff/changes.ts'
import type { ChargeRow } from '../../charges/staff/render.ts'
import { findCharge } from '../../charges/staff/store.ts'
import { KNOWN_BEFORE_MS, numberIsGone, numberUnknown } from '../../refunds/staff/changes.ts'
import { isReturned } from './store.ts'

type ReturnDeps = Pick<CommandDeps, 'db' | 'clock' | 'rails' | 'deployment'>

/**
 * The worker's next pass instructs the rail. `msisdn` is for a payer whose number is not known, and needs a second
 * person.
 */
export async function returnCharge(
  deps: ReturnDeps & Pick<StaffDeps, 'db' | 'alert' | 'staffLimits'>,
  request: StaffRequest,
  idText: string,
  msisdn: string | null,
): Promise<Changed> {
  const id = idIn('ch', idText, noSuchCharge)
  const change = changeOnce(deps, request, { action: 'charge.return', target: id }, async (db, tx) => {
    const returnable = await getReturnable({ ...deps, db }, id)
    const { row } = returnable
    const { destination, isPayer } = payeeOf(deps, row, msisdn)
    const { amount: amountMinor, currency } = row
    await spend(deps, tx, request, { kind: 'refunds', count: 1, amountMinor, currency })
    const knownSinceMs = msisdn === null ? KNOWN_BEFORE_MS : deps.clock()
    if (isPayer)
      return makeReturn({ ...deps, db }, request, returnable, { destination, isPayer, knownSinceMs })
    if (await isReturned(db.reader, id)) throw returned()
    const asked = {
      kind: 'charge.return',
      target: id,
      ...paymentOf(row),
      amountMinor: row.amount,
      currency: row.currency,
      destination,
      seen: seenOf(row),
    } as const
    const number = await numberFacts(tx, asked, destination, isPayer)
    return requestApproval(deps, tx, asked, request, number)
  })
  return alertOfChange(deps, request, change)
}

export async function makeApprovedReturn(
  deps: ReturnDeps,
  request: StaffRequest,
  approval: Approval,
): Promise<Change> {
  const { target, destination } = approval
  const id = idIn('ch', target, noSuchCharge)
  if (destination === null) throw numberIsGone()
  const payee = { destination, isPayer: false, knownSinceMs: requestedAtMs(approval) }
  return makeReturn(deps, request, await getReturnable(deps, id), payee)
}

interface Returnable {
  readonly id: ChargeId
  readonly row: ChargeRow
  readonly rail: RailAdapter
}

async function getReturnable({ db, rails }: ReturnDeps, id: ChargeId): Promise<Returnable> {
  const row = await findCharge(db.reader, id)
  if (row === undefined) throw noSuchCharge()
  if (row.status !== 'duplicate') {
    throw new Refusal('charge_not_duplicate', 'Only a duplicate charge can be returned.')
  }
  if (row.unproven) throw unproven()
  const rail = rails.get(row.rail as RailCode)
  if (rail === undefined || refundsIn(rail, row.currency) === null) throw notSupported()
  return { id, row, rail }
}

interface Payee {
  readonly destination: Msisdn
  readonly isPayer: boolean
}

const paymentOf = (row: ChargeRow) => ({
  merchantId: row.merchant_id as MerchantId,
  intentId: idOf('pi', row.payment_intent_id),
  customerId: idOrNull('cus', row.customer_id),
})

const seenOf = ({ status }: ChargeRow) => ({ status })

async function makeReturn(
  { db, clock }: ReturnDeps,
  { requestId }: StaffRequest,
  { id, row, rail }: Returnable,
  { destination, isPayer, knownSinceMs }: Payee & { readonly knownSinceMs: number },
): Promise<Change> {
  const nowMs = clock()
  const merchantId = row.merchant_id as MerchantId
  const wanted = {
    id: mintId('rt', nowMs),
    charge: { merchantId, chargeId: id, destination },
    knownSinceMs,
    reference: rail.mintReference(),
    submitDeadlineMs: submitDeadlineOf(rail, nowMs),
    requestId,
  }
  const end = await openReturn(db.writer, wanted, nowMs)
  if (end === 'erased') throw isPayer ? numberUnknown() : numberIsGone()
  if (end === 'returned') throw returned()
  const number = await numberFacts(db.writer, paymentOf(row), destination, isPayer)
  return {
    merchantId,
    // The statement found the charge a duplicate, which it stays.
    before: heldRow(seenOf(row)),
    after: { status: row.status, return: wanted.id, amount: row.amount, currency: row.currency, ...number },
  }
}

const returned = () => new Refusal('charge_returned', 'The charge has been returned, or is being returned.')

function payeeOf({ deployment }: ReturnDeps, row: ChargeRow, named: string | null): Payee {
  const known = msisdnIn(row.payer_msisdn)
  if (named === null) {
    if (known === null) throw numberUnknown()
    return { destination: known, isPayer: true }
  }
  const destination = parseMsisdn(named, deployment.defaultCountryCode, 'msisdn')
  if (known !== null && destination !== known) {
    throw new Refusal('invalid_request', 'must be the number that paid', { param: 'msisdn' })
  }
  return { destination, isPayer: known !== null }
}
