import { type BulkJobTable, instant, type Reader, type Tx, type Writer } from '@merchant-payments/db'
import { type RawBuilder, type Selectable, sql } from 'kysely'
import { hasLeft } from '../base/client-status.ts'
import { columnsIn, columnsOf } from '../base/columns.ts'
import { type BulkJobId, idOf, type MerchantId, uuidFloorOf, uuidOf } from '../base/ids.ts'
import { type Page, pageOf } from '../pages/page.ts'
import type { StaffPage } from '../pages/staff/page.ts'
import { all, hasId, inOrder, onPage } from '../pages/staff/store.ts'
import type { StaffRequest } from '../audit/change.ts'
import type { SetAside } from '../queue/read-in-halves.ts'
import { claimFenced, type FencedJobs, leasedAnew } from '../queue/fenced-jobs.ts'
import { BULK_OBJECTS_MAX, BULK_RUNNING_MAX, type BulkJob, type BulkKind, type Recovery } from './job.ts'

const bulkColumns = [
  'id',
  'kind',
  'merchant_id',
  'endpoint_id',
  'from_at',
  'until_at',
  'objects',
  'done',
  'skipped',
  'status',
  'reason',
  'actor_subject',
  'actor_name',
  'created_at',
  'finished_at',
] as const satisfies readonly (keyof BulkJobTable)[]

export type BulkRow = Pick<Selectable<BulkJobTable>, (typeof bulkColumns)[number]>

interface NewJob {
  readonly id: BulkJobId
  readonly kind: BulkKind
  readonly among: readonly string[] | Recovery
  readonly objects: number
}

export type NotMade = 'too_many' | 'endpoint_busy'

/**
 * Takes a free place of the staff member. If another request takes it first, PostgreSQL waits for that request, and
 * the next place is tried.
 */
export async function insertJob(
  tx: Tx,
  job: NewJob,
  request: StaffRequest,
  nowMs: number,
): Promise<NotMade | null> {
  const { subject } = request.staff
  for (let tries = 0; tries < BULK_RUNNING_MAX; tries += 1) {
    const slot = await freeSlot(tx, subject)
    if (slot === null) return 'too_many'
    if (await insertAt(tx, slot, job, request, nowMs)) return null
    if ('merchantId' in job.among && (await isBusy(tx, job.among))) return 'endpoint_busy'
  }
  return 'too_many'
}

/** The partial index of running jobs holds few rows. A job of the release before has no place, and counts too. */
async function freeSlot(tx: Tx, subject: string): Promise<number | null> {
  const { rows } = await sql<{ slot: number | null }>`
    with mine as materialized (
      select slot from bulk_jobs where status = 'running' and actor_subject = ${subject})
    select min(n)::integer as slot from generate_series(1, ${sql.lit(BULK_RUNNING_MAX)}) n
    where (select count(*) from mine) < ${sql.lit(BULK_RUNNING_MAX)}
      and not exists (select 1 from mine where mine.slot = n)`.execute(tx)
  return rows[0]?.slot ?? null
}

async function isBusy(tx: Tx, { merchantId, endpointId }: Recovery): Promise<boolean> {
  const { rows } = await sql`
    select 1 from bulk_jobs
    where merchant_id = ${merchantId} and endpoint_id = ${endpointId} and status = 'running' and ids is null`.execute(
    tx,
  )
  return rows.length > 0
}

/** @returns false if a running job has this place, or sends the same endpoint's deliveries again */
async function insertAt(
  tx: Tx,
  slot: number,
  { id, kind, among, objects }: NewJob,
  { staff, reason, requestId }: StaffRequest,
  nowMs: number,
): Promise<boolean> {
  const recovery = 'merchantId' in among ? among : null
  const { role } = staff
  if (role === 'viewer') throw new Error('a viewer cannot make changes')
  const written = await tx
    .insertInto('bulk_jobs')
    .values({
      id: uuidOf(id),
      kind,
      ids: 'merchantId' in among ? null : [...among],
      merchant_id: recovery?.merchantId ?? null,
      endpoint_id: recovery?.endpointId ?? null,
      from_at: recovery && instant(recovery.fromMs),
      until_at: recovery && instant(recovery.untilMs),
      objects,
      status: 'running',
      reason,
      actor_subject: staff.subject,
      actor_name: staff.name,
      actor_role: role,
      slot,
      request_id: requestId,
      created_at: instant(nowMs),
    })
    .onConflict((on) => on.doNothing())
    .returning('id')
    .executeTakeFirst()
  return written !== undefined
}

export async function cancelJob(tx: Tx, id: BulkJobId, nowMs: number): Promise<boolean> {
  const { rows } = await sql`
    update bulk_jobs set status = 'canceled', finished_at = ${instant(nowMs)}::timestamptz
    where id = ${uuidOf(id)}::uuid and status = 'running' returning 1`.execute(tx)
  return rows.length > 0
}

export const findJob = (reader: Reader, id: BulkJobId): Promise<BulkRow | undefined> =>
  reader.selectFrom('bulk_jobs').select(bulkColumns).where('id', '=', uuidOf(id)).executeTakeFirst()

export async function listJobRows(
  reader: Reader,
  page: StaffPage,
  status: BulkRow['status'] | null,
): Promise<Page<BulkRow>> {
  const id = sql.ref('t.id')
  const where = all([
    page.merchantId === null ? null : sql`t.merchant_id = ${page.merchantId}`,
    status === null ? null : sql`t.status = ${sql.lit(status)}`,
    onPage(page, id),
  ])
  const rows = await reader
    .selectFrom(
      sql<BulkRow>`(select ${columnsOf('t', bulkColumns)} from bulk_jobs t where ${where} ${inOrder(page, id)})`.as<'r'>(
        sql.ref('r'),
      ),
    )
    .select(columnsIn('r', bulkColumns))
    .execute()
  return pageOf(rows, page)
}

const claimedColumns = [
  'id',
  'kind',
  'ids',
  'merchant_id',
  'endpoint_id',
  'from_at',
  'until_at',
  'done',
  'skipped',
  'last_id',
  'reason',
  'actor_subject',
  'actor_name',
  'actor_role',
  'request_id',
  'fence',
] as const satisfies readonly (keyof BulkJobTable)[]

type ClaimedRow = Pick<Selectable<BulkJobTable>, (typeof claimedColumns)[number]>

export type HeldJob = Pick<BulkJob, 'id' | 'fence'>

const isHeld = ({ id, fence }: HeldJob) =>
  sql`id = ${uuidOf(id)}::uuid and fence = ${fence} and status = 'running'`

export const bulkJobs: FencedJobs<HeldJob, 'id'> = {
  table: 'bulk_jobs',
  key: ['id'],
  mayClaim: sql`status = 'running'`,
  isHeld,
}

/** @param setAside called for each leased job that cannot be read */
export async function claimJobs(
  writer: Writer,
  limit: number,
  setAside: SetAside<HeldJob>,
): Promise<BulkJob[]> {
  const rows = await claimFenced<HeldJob, 'id', ClaimedRow>(
    writer,
    bulkJobs,
    claimedColumns,
    limit,
    ({ id, fence }, error) => setAside({ id: idOf('blk', id), fence }, error),
  )
  return rows.map((row) => ({
    id: idOf('blk', row.id),
    kind: row.kind,
    among: row.ids ?? recoveryOf(row),
    lastId: row.last_id,
    visited: row.done + row.skipped,
    actor: { subject: row.actor_subject, name: row.actor_name, role: row.actor_role },
    reason: row.reason,
    requestId: row.request_id,
    fence: row.fence,
  }))
}

const recoveryOf = (
  row: Pick<ClaimedRow, 'merchant_id' | 'endpoint_id' | 'from_at' | 'until_at'>,
): Recovery => ({
  merchantId: row.merchant_id as MerchantId,
  endpointId: row.endpoint_id ?? '',
  fromMs: row.from_at ?? 0,
  untilMs: row.until_at ?? 0,
})

interface Progress {
  readonly lastId: string
  readonly done: number
  readonly skipped: number
}

/** @returns false if the job was canceled, or belongs to another process now */
export async function holdJob(tx: Tx, job: BulkJob): Promise<boolean> {
  const { rows } = await sql`select 1 from bulk_jobs where ${isHeld(job)} for update`.execute(tx)
  return rows.length > 0
}

export async function recordProgress(
  tx: Tx,
  job: BulkJob,
  { lastId, done, skipped }: Progress,
): Promise<void> {
  await sql`
    update bulk_jobs set last_id = ${lastId}::uuid, done = done + ${done}::integer, skipped = skipped + ${skipped}::integer,
      lease_until = ${leasedAnew}, failures = 0
    where ${isHeld(job)}`.execute(tx)
}

export async function finishJob(writer: Writer, job: BulkJob, nowMs: number): Promise<void> {
  await sql`
    update bulk_jobs set status = 'finished', finished_at = ${instant(nowMs)}::timestamptz, lease_until = null
    where ${isHeld(job)}`.execute(writer)
}

const exhaustedOf = ({ merchantId, endpointId, fromMs, untilMs }: Recovery) => sql`
  endpoint_id = ${endpointId} and merchant_id = ${merchantId} and status = 'exhausted'
    and id >= ${uuidFloorOf(fromMs)}::uuid and id < ${uuidFloorOf(untilMs)}::uuid`

/** Stops at the most objects that a job changes. */
export async function countExhausted(reader: Reader, recovery: Recovery): Promise<number> {
  const { count } = await reader
    .selectFrom(
      sql<{ id: string }>`(
        select id from deliveries where ${exhaustedOf(recovery)} limit ${BULK_OBJECTS_MAX})`.as<'r'>(
        sql.ref('r'),
      ),
    )
    .select(sql<number>`count(*)`.as('count'))
    .executeTakeFirstOrThrow()
  return count
}

export async function nextExhausted(
  reader: Reader,
  recovery: Recovery,
  lastId: string | null,
  max: number,
): Promise<string[]> {
  const after = lastId === null ? sql`` : sql`and id > ${lastId}::uuid`
  const rows = await reader
    .selectFrom(
      sql<{ id: string }>`(
        select id from deliveries where ${exhaustedOf(recovery)} ${after}
        order by endpoint_id, merchant_id, id limit ${max})`.as<'r'>(sql.ref('r')),
    )
    .select(columnsIn('r', ['id']))
    .execute()
  return rows.map(({ id }) => id)
}

/**
 * docs/spec-gaps.md, staff: a job makes no further deliveries due while this many of the endpoint are. So a new event
 * waits for no more than these.
 */
const LANE_MAX = 200

export async function isLaneFull(
  reader: Reader,
  { merchantId, endpointId }: Recovery,
  nowMs: number,
): Promise<boolean> {
  const { count } = await reader
    .selectFrom(
      sql<{ due_at: number }>`(
        select due_at from delivery_jobs
        where merchant_id = ${merchantId} and endpoint_id = ${endpointId} and dead_at is null
          and due_at <= ${instant(nowMs)}::timestamptz
        order by merchant_id, endpoint_id, due_at limit ${LANE_MAX})`.as<'r'>(sql.ref('r')),
    )
    .select(sql<number>`count(*)`.as('count'))
    .executeTakeFirstOrThrow()
  return count >= LANE_MAX
}

const ownersOf: Record<BulkKind, RawBuilder<unknown>> = {
  'delivery.replay': sql`(select merchant_id, id from deliveries where id = w.id limit 1)`,
  'fanout.retry': sql`(select merchant_id, event_id as id from fanout_jobs where event_id = w.id)`,
  'charge.query': sql`(select merchant_id, id from charges c where ${hasId('c', sql`= w.id`)})`,
  'attention.acknowledge': sql`(select merchant_id, id from attention_items where id = w.id)`,
  'attention.resolve': sql`(select merchant_id, id from attention_items where id = w.id)`,
}

/** Those of the objects whose merchant has left this cell, so that nobody may change them here. */
export async function findMovedAway(
  reader: Reader,
  kind: BulkKind,
  uuids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await reader
    .selectFrom(
      sql<{ id: string }>`(
        select o.id from unnest(${uuids}::uuid[]) w (id) cross join lateral ${ownersOf[kind]} o
        where ${hasLeft(sql`o.merchant_id`)})`.as<'r'>(sql.ref('r')),
    )
    .select(columnsIn('r', ['id']))
    .execute()
  return new Set(rows.map(({ id }) => id))
}
