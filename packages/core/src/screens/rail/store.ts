import type { ChargeStatus, Reader } from '@merchant-payments/db'
import { isOpenCharge } from '../../charges/store.ts'
import { sql } from 'kysely'
import { livesHere } from '../../base/client-status.ts'
import { columnsIn, columnsOf } from '../../base/columns.ts'
import { uuidFloorOf } from '../../base/ids.ts'
import { newestSince } from '../../pages/staff/store.ts'

/** docs/spec-gaps.md, staff: newest open charges of all rails among which those of a rail are counted. */
export const OPEN_MAX = 10_000
/** docs/spec-gaps.md, staff: newest charges of all merchants, of the time, among which a rail's errors are found. */
export const NEWEST_CHARGES = 5_000

interface OpenCharges {
  readonly counts: readonly { readonly status: ChargeStatus; readonly count: number }[]
  readonly is_cut: boolean
}

/**
 * Open charges have an index by payment, and none by rail. The newest come first, because the backlog of a rail that is down
 * would otherwise hide those of a rail that works.
 */
export const readOpenCharges = (reader: Reader, rail: string): Promise<OpenCharges> =>
  reader
    .selectFrom(
      sql<OpenCharges>`(
        with newest as materialized (
          select t.status, t.rail, t.merchant_id from charges t where ${isOpenCharge('t')}
          order by t.payment_intent_id desc limit ${sql.lit(OPEN_MAX + 1)})
        select (select count(*) from newest) > ${sql.lit(OPEN_MAX)} as is_cut,
          coalesce((
            select json_agg(g order by g.status) from (
              select o.status, count(*) from (select n.status, n.rail, n.merchant_id from newest n limit ${sql.lit(OPEN_MAX)}) o
              where o.rail = ${rail} and ${livesHere(sql`o.merchant_id`)} group by o.status) g), '[]') as counts)`.as<'r'>(
        sql.ref('r'),
      ),
    )
    .select(columnsIn('r', ['counts', 'is_cut']))
    .executeTakeFirstOrThrow()

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
