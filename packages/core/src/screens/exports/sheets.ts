import { DAY_MS } from '../../base/clock.ts'
import { type Currency, currencyDigits, type ExportKind } from '@merchant-payments/contract'
import { type Id, idOf, idOrNull, type MerchantId, mintedAtMs } from '../../base/ids.ts'
import { plainCode } from '../../base/plain-code.ts'
import type { ExportedCharge, ExportedIntent, ExportedRefund, FinanceRow } from './store.ts'

/** A cell of a file. A number stays a number, so that a spreadsheet can add it up. */
export type Cell = string | number | null

export interface ZoneOfSheet {
  readonly name: string
  readonly offsetMs: number
}

interface Column<Row> {
  readonly head: string
  readonly cell: (row: Row, zone: ZoneOfSheet) => Cell
  readonly isTime?: true
}

type Of<Row> = Row & { readonly merchantId: MerchantId }

const timeIn = ({ offsetMs }: ZoneOfSheet, atMs: number | null): string | null =>
  atMs === null ? null : new Date(atMs + offsetMs).toISOString().slice(0, 19).replace('T', ' ')

export const dayText = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10)

/** In whole units of the currency, such as 12.5 for 1250 cents. */
const money = (amount: number, currency: Currency): number => amount / 10 ** currencyDigits[currency]

const mintedAt = (prefix: 'pi' | 'ch' | 're', uuid: string): number =>
  mintedAtMs(idOf(prefix, uuid) as Id<'pi'>)

const textOf = (metadata: Readonly<Record<string, string>>): string | null =>
  Object.keys(metadata).length === 0 ? null : JSON.stringify(metadata)

const intentSheet: readonly Column<Of<ExportedIntent>>[] = [
  { head: 'merchant', cell: ({ merchantId }) => merchantId },
  { head: 'created', isTime: true, cell: ({ id }, zone) => timeIn(zone, mintedAt('pi', id)) },
  { head: 'payment', cell: ({ id }) => idOf('pi', id) },
  { head: 'status', cell: ({ status }) => status },
  { head: 'amount', cell: ({ amount, currency }) => money(amount, currency) },
  { head: 'refunded', cell: ({ refund_reserved: sum, currency }) => money(sum, currency) },
  { head: 'currency', cell: ({ currency }) => currency },
  { head: 'rail', cell: ({ rail }) => rail },
  { head: 'charge', cell: ({ charge_id: id }) => idOrNull('ch', id) },
  { head: 'reference', cell: ({ reference }) => reference },
  { head: 'rail transaction', cell: ({ rail_txn_id: id }) => id },
  { head: 'settled', isTime: true, cell: ({ settled_at: at }, zone) => timeIn(zone, at) },
  { head: 'customer', cell: ({ customer_id: id }) => idOrNull('cus', id) },
  { head: 'invoice', cell: ({ invoice_id: id }) => idOrNull('in', id) },
  { head: 'description', cell: ({ description }) => description },
  { head: 'metadata', cell: ({ metadata }) => textOf(metadata) },
]

const chargeSheet: readonly Column<Of<ExportedCharge>>[] = [
  { head: 'merchant', cell: ({ merchantId }) => merchantId },
  { head: 'opened', isTime: true, cell: ({ opened_at: at }, zone) => timeIn(zone, at) },
  { head: 'charge', cell: ({ id }) => idOf('ch', id) },
  { head: 'payment', cell: ({ payment_intent_id: id }) => idOf('pi', id) },
  { head: 'rail', cell: ({ rail }) => rail },
  { head: 'status', cell: ({ status }) => status },
  { head: 'amount', cell: ({ amount, currency }) => money(amount, currency) },
  { head: 'currency', cell: ({ currency }) => currency },
  { head: 'reference', cell: ({ reference }) => reference },
  { head: 'rail transaction', cell: ({ rail_txn_id: id }) => id },
  { head: 'rail code', cell: ({ rail_code: code }) => plainCode(code) },
  { head: 'ruling', cell: ({ ruling }) => ruling },
  { head: 'settled', isTime: true, cell: ({ settled_at: at }, zone) => timeIn(zone, at) },
]

const refundSheet: readonly Column<Of<ExportedRefund>>[] = [
  { head: 'merchant', cell: ({ merchantId }) => merchantId },
  { head: 'created', isTime: true, cell: ({ opened_at: at }, zone) => timeIn(zone, at) },
  { head: 'refund', cell: ({ id }) => idOf('re', id) },
  { head: 'payment', cell: ({ payment_intent_id: id }) => idOf('pi', id) },
  { head: 'rail', cell: ({ rail }) => rail },
  { head: 'status', cell: ({ status }) => status },
  { head: 'instruction', cell: ({ instruction }) => instruction },
  { head: 'amount', cell: ({ amount, currency }) => money(amount, currency) },
  { head: 'currency', cell: ({ currency }) => currency },
  { head: 'reason', cell: ({ reason }) => reason },
  { head: 'failure reason', cell: ({ failure_reason: reason }) => reason },
  { head: 'reference', cell: ({ reference }) => reference },
  { head: 'rail code', cell: ({ rail_code: code }) => plainCode(code) },
]

export const netOf = (row: FinanceRow): number =>
  row.gross + row.duplicates_amount - row.refunds_amount - row.returns_amount

const sum = (head: string, of: (row: FinanceRow) => number): Column<Of<FinanceRow>> => ({
  head,
  cell: (row) => money(of(row), row.currency),
})

const financeSheet: readonly Column<Of<FinanceRow>>[] = [
  { head: 'day', isTime: true, cell: ({ day }) => dayText(day) },
  { head: 'merchant', cell: ({ merchantId }) => merchantId },
  { head: 'rail', cell: ({ rail }) => rail },
  { head: 'currency', cell: ({ currency }) => currency },
  { head: 'payments', cell: ({ payments }) => payments },
  sum('gross', ({ gross }) => gross),
  { head: 'duplicates', cell: ({ duplicates }) => duplicates },
  sum('duplicates amount', ({ duplicates_amount: amount }) => amount),
  { head: 'refunds', cell: ({ refunds }) => refunds },
  sum('refunds amount', ({ refunds_amount: amount }) => amount),
  { head: 'returns', cell: ({ returns }) => returns },
  sum('returns amount', ({ returns_amount: amount }) => amount),
  sum('net', netOf),
]

/** The columns of each file. No cell holds a payer's number or name. */
const sheets = {
  payment_intents: intentSheet,
  charges: chargeSheet,
  refunds: refundSheet,
  finance_summary: financeSheet,
} as const satisfies Record<ExportKind, unknown>

type RowOf = {
  readonly payment_intents: ExportedIntent
  readonly charges: ExportedCharge
  readonly refunds: ExportedRefund
  readonly finance_summary: FinanceRow
}

export const headsOf = (kind: ExportKind, { name }: ZoneOfSheet): string[] =>
  sheets[kind].map(({ head, isTime }) => (isTime === true ? `${head} (${name})` : head))

export const cellsOf = <Kind extends ExportKind>(
  kind: Kind,
  row: Of<RowOf[Kind]>,
  zone: ZoneOfSheet,
): Cell[] =>
  (sheets[kind] as unknown as readonly Column<Of<RowOf[Kind]>>[]).map(({ cell }) => cell(row, zone))
