import type { BulkJob as WireBulkJob } from '@merchant-payments/contract'
import type { AuditFacts, Staff } from '../audit/render.ts'
import type { BulkJobId, MerchantId } from '../base/ids.ts'

export type BulkKind = WireBulkJob['kind']

/** docs/spec-gaps.md, staff: a job ends after this many objects, so that it can be watched. */
export const BULK_OBJECTS_MAX = 10_000
export const BULK_BATCH_MAX = 100
/** docs/spec-gaps.md, staff: running jobs of one staff member. */
export const BULK_RUNNING_MAX = 3

export interface Recovery {
  readonly merchantId: MerchantId
  readonly endpointId: string
  readonly fromMs: number
  readonly untilMs: number
}

export interface BulkJob {
  readonly id: BulkJobId
  readonly kind: BulkKind
  /** UUIDs in ascending order, or the deliveries of an endpoint. */
  readonly among: readonly string[] | Recovery
  readonly lastId: string | null
  readonly visited: number
  readonly actor: Staff
  readonly reason: string
  readonly requestId: string
  readonly fence: number
}

export interface ObjectChange {
  readonly uuid: string
  readonly merchantId: MerchantId
  readonly before: AuditFacts
  readonly after: AuditFacts
}

export const prefixOfKind = {
  'delivery.replay': 'wd',
  'fanout.retry': 'evt',
  'charge.query': 'ch',
  'attention.acknowledge': 'att',
  'attention.resolve': 'att',
} as const satisfies Record<BulkKind, string>
