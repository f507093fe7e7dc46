import { createBoundedLog } from '../bounded.ts'
import type { BoundedLog } from '../bounded.ts'
import type { Fault, Operation } from './faults.ts'

/** One request that reached the wire port, and what became of it. Credentials are not kept. */
export type Call = {
  readonly operation: Operation | 'unrouted'
  readonly method: string
  readonly path: string
  readonly reference: string | null
  readonly callbackUrl: string | null
  readonly body: string | null
  /** Null where no status line was sent. */
  readonly status: number | null
  readonly outcome: 'answered' | 'reset' | 'hang' | 'truncated' | 'slow_drip'
  /** Why the rail refused, where its own answer does not say. */
  readonly why: string | null
  readonly fault: Fault['kind'] | null
  readonly atMs: number
}

const MAX_CALLS = 2_000

export function createCalls(): BoundedLog<Call> {
  return createBoundedLog<Call>(MAX_CALLS)
}
