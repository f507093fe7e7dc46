import { type BulkJob as WireBulkJob, Refusal } from '@merchant-payments/contract'
import { type Tx, within } from '@merchant-payments/db'
import { heldRow, nothing } from '../../audit/before.ts'
import { changeOnce, type Changed, type StaffRequest } from '../../audit/change.ts'
import { refuseMoved } from '../../audit/moved-store.ts'
import { idIn, type MerchantId, mintId, parseId, uuidOf } from '../../base/ids.ts'
import type { Deps } from '../../deps.ts'
import type { Registration } from '../../screens/deployment/queries.ts'
import { BULK_RUNNING_MAX, prefixOfKind, type Recovery } from '../job.ts'
import { cancelJob, countExhausted, findJob, insertJob, type NotMade } from '../store.ts'
import { noSuchJob } from './queries.ts'

type BulkDeps = Pick<Deps, 'db' | 'clock'>

export function createBulkJob(
  deps: BulkDeps,
  request: StaffRequest,
  { kind, ids }: { readonly kind: WireBulkJob['kind']; readonly ids: readonly string[] },
): Promise<Changed> {
  const prefix = prefixOfKind[kind]
  const known = ids.map((text) => parseId(prefix, text))
  const uuids = known.flatMap((id) => (id === null ? [] : [hyphenated(uuidOf(id))]))
  if (uuids.length < ids.length) {
    throw new Refusal('invalid_request', `must be ids of ${prefix}_…`, { param: 'ids' })
  }
  const among = [...new Set(uuids)].toSorted()
  return makeJob(deps, request, null, async (tx, id) => {
    const objects = among.length
    refuse(await insertJob(tx, { id, kind, among, objects }, request, deps.clock()))
    return { kind, objects }
  })
}

function refuse(notMade: NotMade | null): void {
  if (notMade === 'too_many')
    throw new Refusal('bulk_job_limit', `${BULK_RUNNING_MAX} of your bulk jobs are running.`)
  if (notMade === 'endpoint_busy') {
    throw new Refusal('bulk_job_limit', 'A bulk job already sends the deliveries of this endpoint again.')
  }
}

/** PostgreSQL prints a uuid with hyphens. */
const hyphenated = (hex: string): string =>
  [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')

interface Recover {
  readonly endpoint: string
  readonly fromSec: number
  /** Null for now. */
  readonly untilSec: number | null
}

/** Spec 6.3.8: replays what an endpoint missed. */
export function recoverDeliveries(
  deps: BulkDeps,
  registrations: readonly Registration[],
  request: StaffRequest,
  clientId: string,
  { endpoint, fromSec, untilSec }: Recover,
): Promise<Changed> {
  const merchantId = clientId as MerchantId
  const merchant = registrations.find(({ id }) => id === merchantId)
  if (merchant === undefined) throw new Refusal('resource_missing', 'No such merchant client.')
  if (!merchant.endpoints.some(({ id }) => id === endpoint)) {
    throw new Refusal('invalid_request', 'must be an endpoint of the merchant', { param: 'endpoint' })
  }
  const untilMs = untilSec === null ? deps.clock() : untilSec * 1_000
  const recovery: Recovery = { merchantId, endpointId: endpoint, fromMs: fromSec * 1_000, untilMs }
  if (recovery.fromMs >= untilMs) {
    throw new Refusal('invalid_request', 'must be before the end of the time', { param: 'from' })
  }
  return makeJob(deps, request, merchantId, async (tx, id) => {
    const objects = await countExhausted(within(tx).reader, recovery)
    const job = { id, kind: 'delivery.replay', among: recovery, objects } as const
    refuse(await insertJob(tx, job, request, deps.clock()))
    return { kind: job.kind, objects, endpoint, from: fromSec, until: Math.floor(untilMs / 1_000) }
  })
}

const makeJob = (
  deps: BulkDeps,
  request: StaffRequest,
  merchantId: MerchantId | null,
  insert: (tx: Tx, id: ReturnType<typeof mintId<'blk'>>) => Promise<Record<string, string | number>>,
): Promise<Changed> => {
  const id = mintId('blk', deps.clock())
  return changeOnce(deps, request, { action: 'bulk_job.create', target: id }, async ({ reader }, tx) => {
    if (merchantId !== null) await refuseMoved(reader, merchantId)
    return { merchantId, before: nothing, after: await insert(tx, id) }
  })
}

export function cancelBulkJob(deps: BulkDeps, request: StaffRequest, idText: string): Promise<Changed> {
  const id = idIn('blk', idText, noSuchJob)
  return changeOnce(deps, request, { action: 'bulk_job.cancel', target: id }, async (_db, tx) => {
    const wasRunning = await cancelJob(tx, id, deps.clock())
    const job = await findJob(within(tx).reader, id)
    if (job === undefined) throw noSuchJob()
    if (!wasRunning) throw new Refusal('bulk_job_not_running', 'The bulk job has ended.')
    const { done, skipped } = job
    return {
      merchantId: job.merchant_id as MerchantId | null,
      before: heldRow({ status: 'running' }),
      after: { status: job.status, done, skipped },
    }
  })
}
