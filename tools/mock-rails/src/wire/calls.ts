import { createBoundedLog } from '../bounded.ts'
import type { BoundedLog } from '../bounded.ts'
import type { Fault, Operation } from './faults.ts'

/** One request to the wire port with its result. Credentials are not kept. */
export type Call = {
  readonly operation: Operation | 'unrouted'
  readonly method: string
  readonly path: string
  readonly reference: string | null
  readonly callbackUrl: string | null
  readonly body: string | null
  /** Null if no status line was sent. */
  readonly status: number | null
  readonly outcome: 'answered' | 'reset' | 'hang' | 'truncated' | 'slow_drip'
  readonly why: string | null
  readonly fault: Fault['kind'] | null
  readonly atMs: number
}

const MAX_CALLS = 2_000

export function createCalls(): BoundedLog<Call> {
  return createBoundedLog<Call>(MAX_CALLS)
}
