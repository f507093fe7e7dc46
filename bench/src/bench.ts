import type { Merchant } from './load/merchant.ts'
import type { Counted } from './system/audit.ts'
import type { Closers } from './system/closers.ts'
import type { System } from './system/system.ts'
import type { NoiseName } from './paths/neighbour-noises.ts'
import type { Plan } from './plan.ts'
import type { TableWrites } from './system/writes.ts'

/** What a measured path works with. */
export interface Bench {
  readonly system: System
  readonly merchant: Merchant
  /** Null where there is none: the floors are then missing, everything else is measured. */
  readonly pgbench: string | null
  readonly plan: Plan
  readonly noises: readonly NoiseName[]
  /** What the load generator was answered well; each path adds to it, and the audit compares it with the rows. */
  readonly counted: Counted
  /** What a payment writes, once that is counted. */
  writes: readonly TableWrites[] | null
  readonly closers: Closers
}
