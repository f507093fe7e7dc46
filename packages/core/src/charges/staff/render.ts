import type { StaffCharge } from '@merchant-payments/contract'
import type { ChargeTable } from '@merchant-payments/db'
import type { Selectable } from 'kysely'
import { secondsOf, secondsOrNull } from '../../base/clock.ts'
import { idOf, idOrNull } from '../../base/ids.ts'
import { shownNumber } from '../../base/masked-number.ts'

export const chargeColumns = [
  'merchant_id',
  'id',
  'payment_intent_id',
  'customer_id',
  'rail',
  'status',
  'amount',
  'currency',
  'payer_msisdn',
  'reference',
  'rail_txn_id',
  'rail_code',
  'rail_message',
  'opened_at',
  'submit_deadline',
  'acknowledged_at',
  'settled_at',
  'ruling',
  'request_id',
] as const satisfies readonly (keyof ChargeTable)[]

export interface ChargeRow extends Pick<Selectable<ChargeTable>, (typeof chargeColumns)[number]> {
  readonly next_query_at: number | null
  readonly last_query_at: number | null
  readonly not_found_count: number
  readonly unproven: boolean
  readonly returned: boolean
  readonly reported_at: number | null
  readonly reported_amount: number | null
  readonly reported_currency: string | null
}

export const isPaid = ({ status }: Pick<ChargeRow, 'status'>): boolean =>
  status === 'succeeded' || status === 'duplicate'

export const reportOf = (row: ChargeRow): StaffCharge['reported'] =>
  row.reported_at === null || isPaid(row)
    ? null
    : { amount: row.reported_amount, currency: row.reported_currency, at: secondsOf(row.reported_at) }

/** Leaves out the token of the rail's page and the secret of its callbacks. */
export const renderCharge = (row: ChargeRow): StaffCharge => ({
  id: idOf('ch', row.id),
  object: 'charge',
  merchant: row.merchant_id,
  payment_intent: idOf('pi', row.payment_intent_id),
  customer: idOrNull('cus', row.customer_id),
  rail: row.rail,
  status: row.status,
  amount: row.amount,
  currency: row.currency,
  payer_msisdn: row.payer_msisdn,
  reference: row.reference,
  rail_txn_id: row.rail_txn_id,
  rail_code: row.rail_code,
  rail_message: row.rail_message,
  created: secondsOf(row.opened_at),
  submit_deadline: secondsOf(row.submit_deadline),
  acknowledged_at: secondsOrNull(row.acknowledged_at),
  settled_at: secondsOrNull(row.settled_at),
  last_query_at: secondsOrNull(row.last_query_at),
  next_query_at: secondsOrNull(row.next_query_at),
  not_found_count: row.not_found_count,
  ruling: row.ruling,
  unproven: row.unproven && isPaid(row),
  returned: row.returned,
  reported: reportOf(row),
  request_id: row.request_id,
})

/** Masks numbers, because a list of many payers is read without an audit entry. */
export const renderListedCharge = (row: ChargeRow): StaffCharge => {
  const charge = renderCharge(row)
  return { ...charge, payer_msisdn: shownNumber(charge.payer_msisdn) }
}
