import type { IntentStatus } from '@merchant-payments/contract'
import type { ChargeStatus, Reader } from '@merchant-payments/db'
import { instant } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { livesHere } from '../../base/client-status.ts'
import { mintedMsOf } from '../../base/columns.ts'
import { uuidFloorOf } from '../../base/ids.ts'
import { isDuplicate, isMismatch } from '../../charges/staff/store.ts'
import { isOpenCharge } from '../../charges/store.ts'
import { newestSince } from '../../pages/staff/store.ts'
import { isToInstruct } from '../../refunds/staff/store.ts'

const DEPTH_MAX = 10_000

interface OverviewBounds {
  readonly sinceMs: number
  readonly stuckBeforeMs: number
  readonly rowsMax: number
}

export type Waiting =
  | 'live_charges'
  | 'stuck_charges'
  | 'duplicate_charges'
  | 'mismatched_charges'
  | 'attention_items'
  | 'pending_deliveries'
  | 'exhausted_deliveries'
  | 'dead_letters'
  | 'pending_fanouts'
  | 'failed_fanouts'
  | 'refunds_to_instruct'
  | 'pending_approvals'

export interface OverviewRow {
  readonly intents: readonly { status: IntentStatus; count: number }[]
  readonly charges: readonly { rail: string; status: ChargeStatus; count: number }[]
  readonly waiting: Readonly<Record<Waiting, { count: number; oldest_sec: number | null }>>
  readonly disabled: number
}

/** Counts waiting rows by partial indexes that hold nothing else, without those of merchants in another cell. */
export async function readOverview(
  reader: Reader,
  { sinceMs, stuckBeforeMs, rowsMax }: OverviewBounds,
): Promise<OverviewRow> {
  const recent = (table: 'payment_intents' | 'charges', columns: readonly string[]) =>
    sql`(${newestSince(table, ['merchant_id', ...columns], { sinceUuid: uuidFloorOf(sinceMs), rowsMax })}) recent
      where ${livesHere(sql`recent.merchant_id`)}`
  const stuckBefore = sql`opened_at < ${instant(stuckBeforeMs)}::timestamptz`
  const [day, payments, webhooks] = await Promise.all([
    reader
      .selectNoFrom([
        sql<OverviewRow['intents']>`(
          select coalesce(json_agg(g order by g.status), '[]') from (
            select status, count(*) from ${recent('payment_intents', ['status'])} group by status) g)`.as(
          'intents',
        ),
        sql<OverviewRow['charges']>`(
          select coalesce(json_agg(g order by g.rail, g.status), '[]') from (
            select rail, status, count(*) from ${recent('charges', ['rail', 'status'])} group by rail, status) g)`.as(
          'charges',
        ),
        sql<number>`(select count(*) from disabled_clients)`.as('disabled'),
      ])
      .executeTakeFirstOrThrow(),
    readWaiting(reader, {
      live_charges: waiting('charges', isOpenCharge('charges'), 'opened_at'),
      stuck_charges: waiting('charges', sql`${isOpenCharge('charges')} and ${stuckBefore}`, 'opened_at'),
      duplicate_charges: waiting('charges', isDuplicate('charges'), 'settled_at'),
      mismatched_charges: waiting('charge_jobs', isMismatch('charge_jobs'), 'reported_at'),
      attention_items: waiting('attention_items', sql`status <> 'resolved'`, 'first_at'),
      refunds_to_instruct: waitingSinceMade(
        'refund_jobs',
        sql`rested_at is null and ${isToInstruct('refund_jobs')}`,
        'refund_id',
      ),
      pending_approvals: waiting('approval_requests', sql`status = 'pending'`, 'requested_at'),
    }),
    readWaiting(reader, {
      pending_deliveries: waitingSinceMade('delivery_jobs', sql`dead_at is null`, 'delivery_id'),
      exhausted_deliveries: waiting('deliveries', sql`status = 'exhausted'`, 'finished_at'),
      dead_letters: waiting('delivery_jobs', sql`dead_at is not null`, 'dead_at'),
      pending_fanouts: waitingSinceMade('fanout_jobs', sql`fanout_state = 'pending'`, 'event_id'),
      failed_fanouts: waitingSinceMade('fanout_jobs', sql`fanout_state = 'failed'`, 'event_id'),
    }),
  ])
  return { ...day, waiting: { ...payments, ...webhooks } }
}

type WaitingRow<Name extends Waiting> = Record<Name, { count: number; oldest_sec: number | null }>

async function readWaiting<Name extends Waiting>(
  reader: Reader,
  counts: Record<Name, RawBuilder<unknown>>,
): Promise<WaitingRow<Name>> {
  const pairs = Object.entries<RawBuilder<unknown>>(counts).map(
    ([name, count]) => sql`${sql.lit(name)}, ${count}`,
  )
  const { found } = await reader
    .selectNoFrom(sql`json_build_object(${sql.join(pairs)})`.as('found'))
    .executeTakeFirstOrThrow()
  return found as WaitingRow<Name>
}

const waiting = (table: string, where: RawBuilder<unknown>, since: string) => sql`(
  select json_build_object('count', count(*), 'oldest_sec', floor(extract(epoch from min(${sql.ref(since)})))::bigint)
  from (select ${sql.ref(since)} from ${sql.table(table)}
    where ${where} and ${livesHere(sql.ref('merchant_id'))} limit ${DEPTH_MAX}) q)`

/** By the time in the ids, because a job knows only when it is next due. Ids of all ages sort as their texts do. */
const waitingSinceMade = (table: string, where: RawBuilder<unknown>, id: string) => sql`(
  select json_build_object('count', count(*), 'oldest_sec',
    ${mintedMsOf(sql`min(id::text collate "C")`)} / 1000)
  from (select ${sql.ref(id)} as id from ${sql.table(table)}
    where ${where} and ${livesHere(sql.ref('merchant_id'))} limit ${DEPTH_MAX}) q)`
