import { Refusal } from '@merchant-payments/contract'
import { changeOnce, type Changed, type StaffRequest } from '../../audit/change.ts'
import { openReturn } from '../../charge-returns/store.ts'
import type { Deps } from '../../deps.ts'
import { type MerchantId, mintId, parseId } from '../../ids.ts'
import { submitDeadlineOf } from '../../payouts/calls.ts'
import { type Msisdn, parseMsisdn, storedMsisdn } from '../../phone.ts'
import type { RailCode } from '../../rails/port.ts'
import { notSupported } from '../../refunds/create.ts'
import { noSuchCharge } from '../charges/changes.ts'
import type { ChargeRow } from '../charges/render.ts'
import { findCharge } from '../charges/store.ts'

type ReturnDeps = Pick<Deps, 'db' | 'clock' | 'rails' | 'deployment'>

/**
 * Gives a duplicate charge its return, in the transaction of its audit entry. The worker's next pass instructs the rail.
 * The intent that was paid, its refunds and its merchant's events are not touched.
 *
 * @param msisdn the number that is paid, where nobody knows any more who paid; else null
 */
export function returnCharge(
  deps: ReturnDeps,
  request: StaffRequest,
  idText: string,
  msisdn: string | null,
): Promise<Changed> {
  const id = parseId('ch', idText)
  if (id === null) throw noSuchCharge()
  return changeOnce(deps, request, { action: 'charge.return', target: id }, async (db) => {
    const row = await findCharge(db.reader, id)
    if (row === undefined) throw noSuchCharge()
    if (row.status !== 'duplicate') {
      throw new Refusal('charge_not_duplicate', 'Only a duplicate charge is returned.')
    }
    const rail = deps.rails.get(row.rail as RailCode)
    if (rail === undefined || rail.refunds === null) throw notSupported()
    const nowMs = deps.clock()
    const merchantId = row.merchant_id as MerchantId
    const wanted = {
      id: mintId('rt', nowMs),
      charge: { merchantId, chargeId: id, destination: destinationOf(deps, row, msisdn) },
      reference: rail.mintReference(),
      submitDeadlineMs: submitDeadlineOf(rail, nowMs),
      requestId: request.requestId,
    }
    if (!(await openReturn(db.writer, wanted, nowMs))) {
      throw new Refusal('charge_returned', 'The charge has been returned, or is being returned.')
    }
    return {
      merchantId,
      before: { status: row.status },
      after: { status: row.status, return: wanted.id, amount: row.amount, currency: row.currency },
    }
  })
}

/** Money goes back to the number that paid, and to no other while that is known. */
function destinationOf({ deployment }: ReturnDeps, row: ChargeRow, named: string | null): Msisdn {
  const { payer_msisdn: payer } = row
  const known = payer !== null && /^\d+$/.test(payer) ? storedMsisdn(payer) : null
  if (named === null) {
    if (known !== null) return known
    throw new Refusal('invalid_request', 'is required: nobody knows who paid', { param: 'msisdn' })
  }
  const given = parseMsisdn(named, deployment.defaultCountryCode, 'msisdn')
  if (known !== null && given !== known) {
    throw new Refusal('invalid_request', 'must be the number that paid', { param: 'msisdn' })
  }
  return given
}
