import { type DeliveryStatus, instant, type Writer } from '@merchant-payments/db'
import { sql } from 'kysely'
import { isInState } from '../base/columns.ts'
import { type DeliveryId, type EventId, idOf, type MerchantId } from '../base/ids.ts'
import { type ClaimCursor, type ClaimedJob, claimJobsInTurn, type ClaimOrder } from '../queue/claim.ts'
import { readInHalves, type SetAside } from '../queue/read-in-halves.ts'

export const isPending = isInState<DeliveryStatus, 'pending'>('d.status', {
  succeeded: true,
  exhausted: true,
})

export interface DeliveryKey {
  readonly merchantId: MerchantId
  readonly deliveryId: DeliveryId
  readonly eventId: EventId
  readonly endpointId: string
}

export interface DeliveryJob extends DeliveryKey {
  readonly attempts: number
  /** Attempts of ladders before its own, which a replay ended. */
  readonly attemptsBefore: number
  readonly requestId: string | null
  readonly bodyBytes: number
  /** Hands over the bytes of the POST. The job keeps none, so that they can be freed before the attempt is recorded. */
  readonly takeBody: () => Uint8Array
}

/**
 * Bytes of a body for which its job takes one place among those under way; a longer body takes several. So bodies that
 * slow endpoints hold up are bounded, in total and of each owner.
 */
export const BODY_PLACE_BYTES = 32 * 1_024

/**
 * Takes turns between endpoints and leaves out those in `leftOut`, so that a slow endpoint does not delay the others.
 * Drops jobs that have no pending delivery.
 *
 * Loads all bodies of at most one place, and longer ones until they have taken as many places as the claim has jobs, at
 * least one of them. Gives the jobs of the others back, still due.
 *
 * @param setAside called for each leased job whose rows cannot be read. Default: it stays leased
 */
export async function claimDeliveries(
  writer: Writer,
  order: ClaimOrder,
  leftOut: readonly string[],
  cursor: ClaimCursor,
  setAside: SetAside<DeliveryKey> = async () => {},
): Promise<DeliveryJob[]> {
  const claimed = await claimJobsInTurn(writer, order, leftOut, cursor)
  const unreadable = new Set<ClaimedJob>()
  const parts = await readInHalves(
    claimed,
    (some) => loadJobs(writer, some, order.limit * BODY_PLACE_BYTES),
    (job, error) => {
      unreadable.add(job)
      return setAside(keyOf(job), error)
    },
  )
  const found = parts.flat()
  const readable = claimed.filter((job) => !unreadable.has(job))
  if (found.length < readable.length) await dropIdleJobs(writer, readable, found, order.leaseUntilMs)
  const loaded = found.filter((row): row is LoadedRow => row.body !== null)
  if (loaded.length < found.length) await giveBack(writer, found, order.leaseUntilMs)
  return loaded.map(jobOf)
}

const keyOf = (job: ClaimedJob): DeliveryKey => ({
  merchantId: job.merchant_id as MerchantId,
  deliveryId: idOf('wd', job.delivery_id),
  eventId: idOf('evt', job.event_id),
  endpointId: job.endpoint_id,
})

interface FoundRow extends ClaimedJob {
  readonly attempts: number
  readonly attempts_before: number
  readonly request_id: string | null
  readonly bytes: number
  /** Null if it was left for a later claim. */
  readonly body: string | null
}

type LoadedRow = FoundRow & { readonly body: string }

const jobOf = (row: LoadedRow): DeliveryJob => ({
  ...keyOf(row),
  attempts: row.attempts,
  attemptsBefore: row.attempts_before,
  requestId: row.request_id,
  bodyBytes: row.bytes,
  takeBody: handOver(Buffer.from(row.body)),
})

function handOver(body: Uint8Array): () => Uint8Array {
  let held: Uint8Array | null = body
  return () => {
    if (held === null) throw new Error('the body was taken before')
    const taken = held
    held = null
    return taken
  }
}

/** @param largeBytes bytes of bodies of more than one place, behind which no further one is loaded */
async function loadJobs(
  writer: Writer,
  jobs: readonly ClaimedJob[],
  largeBytes: number,
): Promise<readonly FoundRow[]> {
  const isLarge = sql`e.bytes > ${sql.lit(BODY_PLACE_BYTES)}`
  // With LATERAL and LIMIT, PostgreSQL finds each row by its key, whatever size the planner expects of the tables. The
  // length of a body is read without the body.
  const result = await sql<FoundRow>`
    select j.merchant_id, j.event_id, j.endpoint_id, j.delivery_id, d.attempts, d.attempts_before, e.request_id, e.bytes,
      case when not ${isLarge} or ${largeBytes}::bigint > coalesce(
        sum(case when ${isLarge} then e.bytes end) over (order by j.n rows between unbounded preceding and 1 preceding), 0)
      then e.body end as body
    from unnest(${jobs.map((job) => job.merchant_id)}::text[], ${jobs.map((job) => job.event_id)}::uuid[],
      ${jobs.map((job) => job.endpoint_id)}::text[], ${jobs.map((job) => job.delivery_id)}::uuid[])
      with ordinality as j (merchant_id, event_id, endpoint_id, delivery_id, n)
    cross join lateral (
      select attempts, attempts_before from deliveries d
      where merchant_id = j.merchant_id and event_id = j.event_id and endpoint_id = j.endpoint_id
        and ${isPending} limit 1) d
    cross join lateral (
      select request_id, body, octet_length(body) as bytes from events
      where merchant_id = j.merchant_id and id = j.event_id limit 1) e`.execute(writer)
  return result.rows
}

async function dropIdleJobs(
  writer: Writer,
  claimed: readonly ClaimedJob[],
  found: readonly ClaimedJob[],
  leaseUntilMs: number,
): Promise<void> {
  const kept = new Set(found.map((row) => row.delivery_id))
  const idle = claimed.map((row) => row.delivery_id).filter((uuid) => !kept.has(uuid))
  await sql`delete from delivery_jobs where delivery_id = any (${idle}::uuid[])
    and lease_until = ${instant(leaseUntilMs)}::timestamptz`.execute(writer)
}

async function giveBack(writer: Writer, found: readonly FoundRow[], leaseUntilMs: number): Promise<void> {
  const left = found.filter(({ body }) => body === null).map((row) => row.delivery_id)
  await sql`update delivery_jobs set lease_until = null where delivery_id = any (${left}::uuid[])
    and lease_until = ${instant(leaseUntilMs)}::timestamptz`.execute(writer)
}
