import type { Merchant } from './load/merchant.ts'
import type { Counted } from './system/audit.ts'
import type { Closers } from './system/closers.ts'
import type { System } from './system/system.ts'
import type { NoiseName } from './paths/neighbour-noises.ts'
import type { Plan } from './plan.ts'
import type { Turn } from './turns.ts'
import type { TableWrites } from './system/writes.ts'

export interface Bench {
  readonly system: System
  readonly merchant: Merchant
  /** pgbench's path. Null if it is not installed: the floors are then missing, all else is measured. */
  readonly pgbench: string | null
  /** Whether another system is the peer. The peer of a create is then left out. */
  readonly isCompared: boolean
  readonly plan: Plan
  readonly noises: readonly NoiseName[]
  /** The releases of Node on which webhooks are verified, such as 20. Empty for the one that runs. */
  readonly nodes: readonly string[]
  /** The successful requests so far. Each path adds to them; the audit compares them with the rows. */
  readonly counted: Counted
  writes: readonly TableWrites[] | null
  /** Waits for the other database of a comparison. */
  readonly turn: Turn
  readonly closers: Closers
}
