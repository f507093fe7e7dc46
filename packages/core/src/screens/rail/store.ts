import type { ChargeStatus, Reader } from '@merchant-payments/db'
import { sql } from 'kysely'
import { livesHere } from '../../base/client-status.ts'
import { columnsIn } from '../../base/columns.ts'
import { uuidFloorOf } from '../../base/ids.ts'
import { columnsOf } from '../../pages/cut.ts'
import { newestSince } from '../../pages/staff/store.ts'

/** A count of open charges stops here. */
const OPEN_MAX = 10_000
/** docs/spec-gaps.md, staff: newest charges of all merchants, of the time, among which a rail's errors are found. */
export const NEWEST_CHARGES = 5_000

export const readOpenCharges = (
  reader: Reader,
  rail: string,
): Promise<{ status: ChargeStatus; count: number }[]> =>
  reader
    .selectFrom(
      sql<{ status: ChargeStatus; count: number }>`(
        select o.status, count(*)::integer as count from (
          select t.status from charges t
          where t.status in ('submitting', 'live', 'unconfirmed') and t.rail = ${rail}
            and ${livesHere(sql`t.merchant_id`)}
          limit ${sql.lit(OPEN_MAX)}) o
        group by o.status)`.as<'r'>(sql.ref('r')),
    )
    .select(columnsIn('r', ['status', 'count']))
    .orderBy('r.status')
    .execute()

export interface RailErrorRow {
  readonly id: string
  readonly merchant_id: string
  readonly payment_intent_id: string
  readonly rail_code: string | null
  readonly rail_message: string | null
  readonly settled_at: number | null
}

const errorColumns = [
  'id',
  'merchant_id',
  'payment_intent_id',
  'rail_code',
  'rail_message',
  'settled_at',
] as const

/** The newest failed charges of a rail. */
export const readErrors = (
  reader: Reader,
  { rail, sinceMs, max }: { readonly rail: string; readonly sinceMs: number; readonly max: number },
): Promise<RailErrorRow[]> => {
  const read = [...errorColumns, 'rail', 'status'] as const
  const newest = newestSince('charges', read, { sinceUuid: uuidFloorOf(sinceMs), rowsMax: NEWEST_CHARGES })
  return reader
    .selectFrom(
      sql<RailErrorRow>`(
        select ${columnsOf('n', errorColumns)} from (${newest}) n
        where n.status = 'failed' and n.rail = ${rail} order by n.id desc limit ${max})`.as<'r'>(
        sql.ref('r'),
      ),
    )
    .select(columnsIn('r', errorColumns))
    .orderBy('r.id', 'desc')
    .execute()
}
