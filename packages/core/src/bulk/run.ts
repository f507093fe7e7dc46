import { type Database, sqlState } from '@merchant-payments/db'
import { recordAuditEntries } from '../audit/store.ts'
import { type AuditEntryId, idOf, mintId, uuidOf } from '../base/ids.ts'
import type { Deps } from '../deps.ts'
import { isOfStatement, isOfWaiting } from '../base/refused-statements.ts'
import { postponeFenced, releaseFenced } from '../queue/fenced-jobs.ts'
import { type BatchSession, runBatch } from '../queue/run-batch.ts'
import { BULK_BATCH_MAX, BULK_OBJECTS_MAX, type BulkJob, type ObjectChange, prefixOfKind } from './job.ts'
import { changeObjects } from './objects.ts'
import {
  bulkJobs,
  claimJobs,
  findMovedAway,
  finishJob,
  type HeldJob,
  holdJob,
  isLaneFull,
  nextExhausted,
  recordProgress,
} from './store.ts'

const CLAIMED_MAX = 4
/** Failures in a row, over at least 15 s, after which every further one alerts an operator. */
const STUCK_AFTER = 5

type BulkDeps = Pick<Deps, 'db' | 'clock' | 'alert'>

export interface BulkReport {
  readonly done: number
  /** The newest entry of each batch, whose hash covers the others. */
  readonly entries: readonly AuditEntryId[]
  readonly full: boolean
}

/** Makes one batch of each due job. A job that waits for its endpoint, or whose batch fails, delays no other. */
export async function runBulkJobs(deps: BulkDeps): Promise<BulkReport> {
  const jobs = await claimJobs(deps.db.writer, CLAIMED_MAX, (job, error) => postpone(deps, job, error))
  const batches: Batch[] = []
  for (const job of jobs) batches.push(await runOne(deps, job))
  return {
    done: batches.reduce((sum, { done }) => sum + done, 0),
    entries: batches.flatMap(({ entries }) => entries),
    full: batches.some(({ goesOn }) => goesOn),
  }
}

interface Batch {
  readonly done: number
  readonly entries: readonly AuditEntryId[]
  readonly goesOn: boolean
}

const nothing: Batch = { done: 0, entries: [], goesOn: false }

async function runOne(deps: BulkDeps, job: BulkJob): Promise<Batch> {
  const { db, clock } = deps
  try {
    if ('merchantId' in job.among && (await isLaneFull(db.reader, job.among, clock()))) {
      await releaseFenced(db.writer, bulkJobs, job)
      return nothing
    }
    const uuids = await nextOf(db, job)
    const batch = await changeBatch(deps, job, uuids)
    if (uuids.length < BULK_BATCH_MAX) await finishJob(db.writer, job, clock())
    else await releaseFenced(db.writer, bulkJobs, job)
    return batch
  } catch (error) {
    if (error instanceof JobLost) return nothing
    await postpone(deps, job, error)
    return nothing
  }
}

/** A job that began is finished or canceled by a person, so it is tried again whatever happens. */
async function postpone({ db, alert }: BulkDeps, job: HeldJob, error: unknown): Promise<void> {
  const failures = await postponeFenced(db.writer, bulkJobs, job)
  if (failures >= STUCK_AFTER)
    alert('row_refused', {
      pass: 'run-bulk-jobs',
      row: job.id,
      error: sqlState(error instanceof JobHeld ? error.cause : error),
    })
}

function nextOf({ reader }: Database, { among, lastId, visited }: BulkJob): Promise<string[]> {
  const max = Math.min(BULK_BATCH_MAX, BULK_OBJECTS_MAX - visited)
  if ('merchantId' in among) return nextExhausted(reader, among, lastId, max)
  return Promise.resolve(among.filter((uuid) => lastId === null || uuid > lastId).slice(0, max))
}

class JobHeld extends Error {}

/** The job was canceled, or its lease ended and another process has it. */
class JobLost extends Error {}

interface Changes {
  readonly done: number
  readonly entry: AuditEntryId | null
}

/**
 * Objects that other transactions hold, or that are not changed within the statement time-out, are left alone, if the
 * job can do anything else. If all are held, for example because an index of their table is being made, the job is
 * tried again later.
 */
async function changeBatch(deps: BulkDeps, job: BulkJob, uuids: readonly string[]): Promise<Batch> {
  const movedAway = await findMovedAway(deps.db.reader, job.kind, uuids)
  const held = new Map<string, unknown>()
  /** Locked objects directly before this place that are not counted yet. */
  const heldBefore = (place: number): number => {
    let count = 0
    while (held.has(uuids[place - 1 - count] ?? '')) count += 1
    return count
  }
  const changes = await runBatch<string, Changes>(uuids, {
    db: deps.db,
    write: async (some, session) => {
      const skipped = heldBefore(uuids.indexOf(some[0] ?? ''))
      return [await changeSome(session, deps.clock(), job, { uuids: some, movedAway, skipped })]
    },
    ofRefused: () => ({ done: 0, entry: null }),
    recordRefusal: async (uuid, error, session) => {
      if (isOfWaiting(error)) held.set(uuid, error)
      else await skip(session, job, uuid, 1 + heldBefore(uuids.indexOf(uuid)))
    },
  })
  const last = uuids.at(-1)
  if (last !== undefined && held.size > 0) {
    if (held.size === uuids.length) throw new JobHeld('all objects are held', { cause: held.get(last) })
    const skipped = heldBefore(uuids.length)
    if (skipped > 0) await skip(deps.db, job, last, skipped)
  }
  return {
    done: changes.reduce((sum, { done }) => sum + done, 0),
    entries: changes.flatMap(({ entry }) => entry ?? []),
    goesOn: uuids.length === BULK_BATCH_MAX,
  }
}

interface Some {
  readonly uuids: readonly string[]
  /** Objects whose merchant has moved to another cell. They are skipped. */
  readonly movedAway: ReadonlySet<string>
  /** Objects before these that were skipped. */
  readonly skipped: number
}

const changeSome = (
  { transact }: BatchSession,
  nowMs: number,
  job: BulkJob,
  { uuids, movedAway, skipped }: Some,
) =>
  transact(async (tx): Promise<Changes> => {
    const lastId = uuids.at(-1)
    if (lastId === undefined) return { done: 0, entry: null }
    // Locked first, so that a job that is canceled meanwhile waits, and changes nothing afterwards.
    if (!(await holdJob(tx, job))) throw new JobLost()
    const here = uuids.filter((uuid) => !movedAway.has(uuid))
    const changes = await changeObjects(tx, job, here, nowMs)
    const done = changes.length
    await recordProgress(tx, job, { lastId, done, skipped: skipped + uuids.length - done })
    const entry = await recordAuditEntries(
      tx,
      changes.map((change) => entryOf(job, change, nowMs)),
    )
    return { done, entry }
  })

/** Records that objects were skipped. Without the record, the job's counts would miss them. */
const skip = (
  { transact }: Pick<BatchSession, 'transact'>,
  job: BulkJob,
  lastId: string,
  skipped: number,
): Promise<void> =>
  transact(async (tx) => {
    if (!(await holdJob(tx, job))) throw new JobLost()
    await recordProgress(tx, job, { lastId, done: 0, skipped })
  }).catch((error: unknown) => {
    throw isOfStatement(error) ? new JobHeld('a bulk job is held', { cause: error }) : error
  })

/** The key makes a second entry of the same job and object impossible. */
function entryOf(job: BulkJob, { uuid, merchantId, before, after }: ObjectChange, nowMs: number) {
  const target = idOf(prefixOfKind[job.kind], uuid)
  return {
    id: mintId('au', nowMs),
    actor: job.actor,
    action: job.kind,
    target,
    merchantId,
    reason: job.reason,
    before,
    after: { ...after, bulk_job: job.id },
    requestId: job.requestId,
    key: `${job.id} ${target}`,
    fingerprint: Buffer.from(uuidOf(job.id), 'hex'),
  }
}
