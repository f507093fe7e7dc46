import type { Invoice } from '@merchant-payments/contract'
import { beforeOf, heldIfFound } from '../../audit/before.ts'
import { asMerchant, changeOnce, type Changed, type StaffRequest } from '../../audit/change.ts'
import { idIn } from '../../base/ids.ts'
import type { Deps } from '../../deps.ts'
import { markInvoiceUncollectible, voidInvoice } from '../moves.ts'
import { noSuchInvoice } from '../refusals.ts'
import { holdRow } from '../../pages/staff/store.ts'
import { findInvoiceRow } from './store.ts'

const moves = { 'invoice.void': voidInvoice, 'invoice.mark_uncollectible': markInvoiceUncollectible } as const

export function moveStaffInvoice(
  deps: Pick<Deps, 'db' | 'clock'>,
  request: StaffRequest,
  action: keyof typeof moves,
  idText: string,
): Promise<Changed> {
  const id = idIn('in', idText, noSuchInvoice)
  return changeOnce(deps, request, { action, target: id }, async (db, tx) => {
    await holdRow(tx, 'invoices', id)
    const found = heldIfFound(await findInvoiceRow(db.reader, id))
    if (found === undefined) throw noSuchInvoice()
    const { merchantId } = found.invoice
    const answer = await asMerchant(db, request, merchantId, (claim) =>
      moves[action]({ ...deps, db }, claim, id),
    )
    const { status: after } = JSON.parse(answer.body) as Invoice
    const before = beforeOf(found, ({ invoice }) => ({ status: invoice.status }))
    return { merchantId, before, after: { status: after } }
  })
}
