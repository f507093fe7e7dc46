import {
  type Attempt,
  BODY_PLACE_BYTES,
  claimDeliveries,
  claimLeased,
  type DeliveryJob,
  type DeliveryKey,
  type Deps,
  ENDPOINT_GONE,
  finishAttempts,
  type FinishedDelivery,
  type Floors,
  isOfWaiting,
  leaveToOthers,
  mintedAtMs,
  type Raised,
  raisedOf,
  reasonOf,
  recordJobThrow,
  runBatch,
  UNKNOWN_ENDPOINT_WAIT_MS,
  unlessRefused,
} from '@merchant-payments/core'
import type { Writer } from '@merchant-payments/db'
import type { Log, Tracer } from '@merchant-payments/telemetry'
import type { LaneLimits, Lanes } from '../lanes.ts'
import { type AttemptDeps, attemptDelivery } from '../webhooks/attempt.ts'
import { inBatches } from './in-batches.ts'
import type { PassReport } from './pass.ts'

/** Each endpoint is a lane, and its merchant the owner. A job takes a place for each BODY_PLACE_BYTES of its body. */
export const DELIVERY_LANES: LaneLimits = {
  claimMax: 64,
  fullAt: 32,
  inFlightMax: 512,
  owners: { of: (lane) => lane.slice(0, lane.indexOf('/')), fullAt: 128, fullAtWhenCrowded: 16 },
}

export type DeliverDeps = Pick<Deps, 'db' | 'alert' | 'fault'> &
  AttemptDeps & {
    readonly log: Pick<Log, 'info'>
    readonly tracer: Tracer
    /** Default: read for each claim */
    readonly floors?: Floors
  }

export interface DeliverReport extends PassReport {
  readonly claimed: number
  readonly finished: readonly FinishedDelivery[]
}

export interface StartedDeliveries extends PassReport {
  readonly ended: Promise<DeliverReport>
}

/** @param fullMs how long its endpoint, or its merchant, had all of its places taken since the event */
export type OnAttempt = (attempt: Attempt, fullMs: number) => void

/**
 * Claims due deliveries, posts them and records the results (spec 6.3). It returns after the claim, so the
 * schedule can claim again while slow endpoints have not answered.
 */
export async function startDeliveries(
  deps: DeliverDeps,
  lanes: Lanes,
  onAttempt: OnAttempt = () => {},
): Promise<StartedDeliveries> {
  const leftOut = lanes.leftOutAt(deps.clock())
  const limit = lanes.room()
  if (limit === 0) return nothing
  const { writer } = deps.db
  const { claimed, leaseUntilMs } = await claimLeased(writer, deps.clock, {
    jobs: 'delivery_jobs',
    lost: lanes.lost,
    claim: (order) =>
      claimDeliveries(writer, { ...order, limit, floors: deps.floors }, leftOut, lanes.cursor, (job, error) =>
        recordThrow(deps, writer, job, order.leaseUntilMs, error),
      ),
  })
  if (claimed.length === 0) return nothing
  deps.fault('deliver.claimed')
  // A claim whose bodies fill its places has given its other jobs back. The next claim takes them at once.
  const full = claimed.reduce((places, job) => places + placesOf(job), 0) >= limit
  const jobs = await withoutUnknownEndpoints(deps, lanes, claimed, leaseUntilMs)
  const ended = deliverAll(deps, lanes, jobs, leaseUntilMs, onAttempt)
  return { full, ended: ended.then((finished) => ({ full, claimed: jobs.length, finished })) }
}

/**
 * During the rollout of a new endpoint, a worker with the old configuration leaves its deliveries to a
 * restarted one. After an hour without any worker that knows the endpoint, this worker attempts them; the
 * attempt ends them.
 */
async function withoutUnknownEndpoints(
  { db, clock, endpoints }: DeliverDeps,
  lanes: Lanes,
  jobs: readonly DeliveryJob[],
  leaseUntilMs: number,
): Promise<readonly DeliveryJob[]> {
  const unknown = jobs.filter(({ merchantId, endpointId }) => !endpoints.find(merchantId, endpointId))
  if (unknown.length === 0) return jobs
  const nowMs = clock()
  const gone = await leaveToOthers(db.writer, unknown, leaseUntilMs, nowMs).catch((error: unknown) => {
    // Nothing of this claim is attempted, so the next claim releases its jobs.
    lanes.lost.add(leaseUntilMs)
    throw error
  })
  const left = new Set(unknown.filter(({ deliveryId }) => !gone.has(deliveryId)))
  for (const job of left) lanes.shut(laneOf(job), nowMs + UNKNOWN_ENDPOINT_WAIT_MS)
  return jobs.filter((job) => !left.has(job))
}

const nothing: StartedDeliveries = {
  full: false,
  ended: Promise.resolve({ full: false, claimed: 0, finished: [] }),
}

async function deliverAll(
  deps: DeliverDeps,
  lanes: Lanes,
  jobs: readonly DeliveryJob[],
  leaseUntilMs: number,
  onAttempt: OnAttempt,
): Promise<FinishedDelivery[]> {
  const finished: FinishedDelivery[] = []
  const record = inBatches<Attempt>(async (attempts) => {
    finished.push(...(await recordAttempts(deps, attempts, leaseUntilMs)))
  })
  const deliver = async (job: DeliveryJob): Promise<void> => {
    const fullMs = lanes.fullMs(laneOf(job), mintedAtMs(job.eventId))
    lanes.enter(laneOf(job), placesOf(job))
    const attempt = await deps.tracer
      .forRequest(job.requestId, () => attemptDelivery(deps, job))
      .catch(async (error: unknown) => {
        await unlessRefused(() => recordThrow(deps, deps.db.writer, job, leaseUntilMs, error))
        return null
      })
      .finally(() => lanes.leave(laneOf(job), placesOf(job)))
    if (attempt === null) return
    onAttempt(attempt, fullMs)
    await record(attempt)
  }
  const settled = await Promise.allSettled(jobs.map(deliver))
  // Thrown after all batches are recorded, so that one failed batch does not abandon the others.
  for (const result of settled) if (result.status === 'rejected') throw result.reason
  return finished
}

async function recordAttempts(
  deps: DeliverDeps,
  attempts: readonly Attempt[],
  leaseUntilMs: number,
): Promise<FinishedDelivery[]> {
  deps.fault('deliver.posted')
  const results = await runBatch<Attempt, Recorded>(attempts, {
    db: deps.db,
    write: async (some, { writer }) => {
      const finished = await finishAttempts(writer, some, leaseUntilMs, deps.clock(), endOf)
      return [{ attempts: some, finished }]
    },
    ofRefused: () => ({ attempts: [], finished: [] }),
    recordRefusal: async ({ job }, error, { writer }) => {
      // The job stays leased, so its receiver gets the event again once a minute at most.
      if (!isOfWaiting(error)) await recordThrow(deps, writer, job, leaseUntilMs, error)
    },
  })
  for (const recorded of results) {
    logAttempts(deps, recorded)
    announceExhausted(deps, recorded)
  }
  deps.fault('deliver.committed')
  return results.flatMap(({ finished }) => finished)
}

interface Recorded {
  readonly attempts: readonly Attempt[]
  /** The results of those attempts whose lease was still held. */
  readonly finished: readonly FinishedDelivery[]
}

function logAttempts({ log }: DeliverDeps, { attempts, finished }: Recorded): void {
  const statuses = new Map(finished.map(({ deliveryId, status }) => [deliveryId, status]))
  for (const { job, statusCode, error, durationMs } of attempts) {
    const facts = {
      request_id: job.requestId,
      ...factsOf(job),
      attempt: job.attempts + 1,
      status: statusCode,
    }
    const became = statuses.get(job.deliveryId) ?? 'lease_lost'
    log.info({ ...facts, error, duration_ms: durationMs, became }, 'webhook attempt')
  }
}

/** Spec 6.3.5: an exhausted delivery writes an alert line. */
function announceExhausted({ alert }: DeliverDeps, { attempts, finished }: Recorded): void {
  const exhausted = new Set(
    finished.flatMap(({ deliveryId, status }) => (status === 'exhausted' ? [deliveryId] : [])),
  )
  for (const attempt of attempts) {
    if (!exhausted.has(attempt.job.deliveryId)) continue
    const { alert: name, facts } = endOf(attempt)
    alert(name, facts)
  }
}

/** The alert of a delivery that is exhausted by this attempt. */
const endOf = ({ job, statusCode, error }: Attempt): Raised =>
  raisedOf(
    error === ENDPOINT_GONE ? 'webhook_endpoint_gone' : 'webhook_exhausted',
    { ...factsOf(job), attempts: job.attempts + 1, status: statusCode, error },
    job.merchantId,
  )

/** Records a fault of ours. The attempt does not count; after a few such faults the job is dead. */
async function recordThrow(
  { clock, alert }: DeliverDeps,
  writer: Writer,
  job: DeliveryKey,
  leaseUntilMs: number,
  error: unknown,
): Promise<void> {
  const facts = { ...factsOf(job), reason: reasonOf(error) }
  const ifDead = raisedOf('delivery_dead_lettered', facts, job.merchantId)
  const dead = await recordJobThrow(writer, [job], leaseUntilMs, clock(), () => ifDead)
  for (const _ of dead) alert(ifDead.alert, ifDead.facts)
}

/** The same spelling as claimDeliveries. Neither part can contain a slash. */
const laneOf = ({ merchantId, endpointId }: DeliveryJob): string => `${merchantId}/${endpointId}`

const placesOf = ({ bodyBytes }: DeliveryJob): number => Math.max(1, Math.ceil(bodyBytes / BODY_PLACE_BYTES))

const factsOf = ({ deliveryId, eventId, merchantId, endpointId }: DeliveryKey) => ({
  delivery: deliveryId,
  event: eventId,
  merchant: merchantId,
  endpoint: endpointId,
})
