import { type HeldBack, plainCode, type QueryOutcome, type RailEvidence } from '@merchant-payments/core'
import type { Reply } from './tokens.ts'

/** A missing token is evidence about the token operation, not about the one that needed it. */
export function evidenceOf(wanted: RailEvidence['operation'], reply: Reply, elapsedMs: number): RailEvidence {
  const [operation, end] = reply.kind === 'no_token' ? (['token', reply.cause] as const) : [wanted, reply]
  return end.kind === 'fault'
    ? { operation, httpStatus: null, railCode: null, errno: end.errno, elapsedMs }
    : {
        operation,
        httpStatus: end.status,
        railCode: plainCode(end.body?.code ?? end.body?.error),
        errno: null,
        elapsedMs,
      }
}

export const isHeldBack = (reply: Reply): boolean => reply.kind === 'fault' && reply.heldBack === true

/** The outcome of a query without a usable answer. */
export const unanswered = (
  operation: RailEvidence['operation'],
  reply: Reply,
  elapsedMs: number,
): HeldBack | (QueryOutcome & { kind: 'unavailable' }) => ({
  kind: isHeldBack(reply) ? 'held_back' : 'unavailable',
  evidence: evidenceOf(operation, reply, elapsedMs),
})
