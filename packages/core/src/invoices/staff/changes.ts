import type { Invoice } from '@merchant-payments/contract'
import { changeOnce, type Changed, claimFor, type StaffRequest } from '../../audit/change.ts'
import type { Deps } from '../../deps.ts'
import { parseId } from '../../base/ids.ts'
import { markInvoiceUncollectible, voidInvoice } from '../moves.ts'
import { noSuchInvoice } from '../refusals.ts'
import { findInvoiceRow } from './store.ts'

const moves = { 'invoice.void': voidInvoice, 'invoice.mark_uncollectible': markInvoiceUncollectible } as const

export function moveStaffInvoice(
  deps: Pick<Deps, 'db' | 'clock'>,
  request: StaffRequest,
  action: keyof typeof moves,
  idText: string,
): Promise<Changed> {
  const id = parseId('in', idText)
  if (id === null) throw noSuchInvoice()
  return changeOnce(deps, request, { action, target: id }, async (db) => {
    const found = await findInvoiceRow(db.reader, id)
    if (found === undefined) throw noSuchInvoice()
    const { merchantId, status } = found.invoice
    const answer = await moves[action]({ ...deps, db }, claimFor(request, merchantId), id)
    const { status: after } = JSON.parse(answer.body) as Invoice
    return { merchantId, before: { status }, after: { status: after } }
  })
}
