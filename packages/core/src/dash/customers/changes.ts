import { changeOnce, type Changed, type StaffRequest } from '../../audit/change.ts'
import { deleteCustomer } from '../../customers/delete.ts'
import { noSuchCustomer } from '../../customers/queries.ts'
import type { Deps } from '../../deps.ts'
import { parseId } from '../../ids.ts'
import { findCustomerRow } from './store.ts'

/** The command of /v1: a customer that nothing refers to is removed, any other is anonymised. */
export function eraseStaffCustomer(
  deps: Pick<Deps, 'db' | 'clock'>,
  request: StaffRequest,
  idText: string,
): Promise<Changed> {
  const id = parseId('cus', idText)
  if (id === null) throw noSuchCustomer()
  return changeOnce(deps, request, { action: 'customer.erase', target: id }, async (db) => {
    const before = await findCustomerRow(db.reader, id)
    if (before === undefined) throw noSuchCustomer()
    const { merchantId } = before
    await deleteCustomer({ ...deps, db }, merchantId, id, request.requestId)
    const kept = (await findCustomerRow(db.reader, id)) !== undefined
    return {
      merchantId,
      before: { state: before.erasedAtMs === null ? 'live' : 'erased' },
      after: { state: kept ? 'erased' : 'removed' },
    }
  })
}
