import { Refusal } from '@merchant-payments/contract'
import type { ChargeRuling } from '@merchant-payments/db'
import { changeOnce, type Changed, type StaffRequest } from '../../audit/change.ts'
import { pullForward } from '../../charges/store.ts'
import type { Deps } from '../../deps.ts'
import { type MerchantId, parseId } from '../../ids.ts'
import type { RailCode } from '../../rails/port.ts'
import { seconds } from './render.ts'
import { findCharge, rule } from './store.ts'

export const noSuchCharge = () => new Refusal('resource_missing', 'No such charge.')

/** What a callback does, and no more: the next query is made due, never sooner than the interval after the last one. */
export function queryCharge(
  deps: Pick<Deps, 'db' | 'clock'>,
  request: StaffRequest,
  idText: string,
): Promise<Changed> {
  const id = parseId('ch', idText)
  if (id === null) throw noSuchCharge()
  return changeOnce(deps, request, { action: 'charge.query', target: id }, async (db) => {
    const before = await findCharge(db.reader, id)
    if (before === undefined) throw noSuchCharge()
    if (before.next_query_at === null || before.status === 'submitting') {
      throw new Refusal(
        'charge_not_queryable',
        'Nobody asks for this charge any more, or it is being submitted.',
      )
    }
    await pullForward(
      db.writer,
      before.rail as RailCode,
      { by: 'reference', value: before.reference },
      deps.clock(),
    )
    const after = await findCharge(db.reader, id)
    return {
      merchantId: before.merchant_id as MerchantId,
      before: { next_query_at: seconds(before.next_query_at) },
      after: { next_query_at: seconds(after?.next_query_at ?? null) },
    }
  })
}

/** The operator's ruling, in place of an answer that never comes. It moves nothing: the settle pass does. */
export function resolveCharge(
  deps: Pick<Deps, 'db' | 'clock'>,
  request: StaffRequest,
  idText: string,
  outcome: ChargeRuling,
): Promise<Changed> {
  const id = parseId('ch', idText)
  if (id === null) throw noSuchCharge()
  return changeOnce(deps, request, { action: 'charge.resolve', target: id }, async (db) => {
    const before = await findCharge(db.reader, id)
    if (before === undefined) throw noSuchCharge()
    const { reason, staff } = request
    if (!(await rule(db.writer, id, { outcome, reason, operator: staff.subject }))) {
      throw new Refusal(
        'charge_not_resolvable',
        'The charge has come to this already, or is being submitted.',
      )
    }
    return {
      merchantId: before.merchant_id as MerchantId,
      before: { status: before.status, ruling: before.ruling },
      after: { status: before.status, ruling: outcome },
    }
  })
}
