import { instant, type Reader, sqlState, type Writer } from '@merchant-payments/db'
import { sql } from 'kysely'
import { type EventId, type MerchantId, type PaymentIntentId, uuidFloorOf } from '../../ids.ts'
import { type Page, pageOf } from '../../pages/page.ts'
import type { StaffPage } from '../pages/page.ts'
import { all, inOrder, onPage, rowById } from '../pages/store.ts'
import type { FanoutRow } from './render.ts'

const columns = sql`t.merchant_id, t.id, t.type, t.fanout_state, t.fanout_failures, t.fanout_due_at, t.request_id`

/** Events that are not fanned out. Each of the two states has a partial index, which holds no other rows. */
export async function listUnfinishedFanouts(
  reader: Reader,
  page: StaffPage,
  state: 'pending' | 'failed' | null,
): Promise<Page<FanoutRow>> {
  const id = sql.ref('t.id')
  const where = all([
    page.merchantId === null ? null : sql`t.merchant_id = ${page.merchantId}`,
    onPage(page, id),
  ])
  const ofState = (wanted: 'pending' | 'failed') => sql`
    (select ${columns} from events t where t.fanout_state = ${sql.lit(wanted)} and ${where} ${inOrder(page, id)})`
  const union = state === null ? sql`${ofState('pending')} union all ${ofState('failed')}` : ofState(state)
  const rows = await reader
    .selectFrom(
      sql<FanoutRow>`(select r.* from (${union}) r ${inOrder(page, sql.ref('r.id'))})`.as<'r'>(sql.ref('r')),
    )
    .selectAll('r')
    .execute()
  return pageOf(rows, page)
}

export const findFanout = (reader: Reader, id: EventId): Promise<FanoutRow | undefined> =>
  reader
    .selectFrom(rowById<FanoutRow>('events', id).as<'r'>(sql.ref('r')))
    .selectAll('r')
    .executeTakeFirst()

/** When something happened that may have written events, and until when they may have come. */
export interface EventWindow {
  readonly fromMs: number
  readonly untilMs: number
}

/**
 * The events that tell of an intent. No column names it, so they are looked for where its own rows say that something
 * happened: an event's id is made at the instant of its change.
 */
export async function listEventsOf(
  reader: Reader,
  merchantId: MerchantId,
  intentId: PaymentIntentId,
  windows: readonly EventWindow[],
  max: number,
): Promise<FanoutRow[]> {
  const rows = await reader
    .selectFrom(
      sql<FanoutRow>`(
        select distinct ${columns} from unnest(
          ${windows.map(({ fromMs }) => uuidFloorOf(fromMs))}::uuid[], ${windows.map(({ untilMs }) => uuidFloorOf(untilMs))}::uuid[]
        ) w (lower, upper)
        cross join lateral (
          select * from events e
          where e.merchant_id = ${merchantId} and e.id >= w.lower and e.id < w.upper
            and position(${intentId} in e.body) > 0
          order by e.id desc limit ${max}) t
        order by t.id desc limit ${max})`.as<'r'>(sql.ref('r')),
    )
    .selectAll('r')
    .execute()
  return rows
}

/** @returns false of an event whose fan-out has not failed */
export async function retry(writer: Writer, id: EventId, nowMs: number): Promise<boolean> {
  try {
    await sql`select ops_retry_fanout(${id}, ${instant(nowMs)}::timestamptz)`.execute(writer)
    return true
  } catch (error) {
    if (sqlState(error) === NOT_FAILED) return false
    throw error
  }
}

/** no_data_found, as the function raises it. */
const NOT_FAILED = 'P0002'
