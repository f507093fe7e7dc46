import type { RailEvidence } from '@merchant-payments/core'
import type { Reply } from './tokens.ts'

/** A missing token is evidence about the token operation, not about the one that needed it. */
export function evidenceOf(wanted: RailEvidence['operation'], reply: Reply, elapsedMs: number): RailEvidence {
  const [operation, end] = reply.kind === 'no_token' ? (['token', reply.cause] as const) : [wanted, reply]
  return end.kind === 'fault'
    ? { operation, httpStatus: null, railCode: null, errno: end.errno, elapsedMs }
    : {
        operation,
        httpStatus: end.status,
        railCode: plainWord(end.body?.code ?? end.body?.error),
        errno: null,
        elapsedMs,
      }
}

/**
 * Only a plain word or a short code may be logged, because a rail's free text can contain a phone number or a
 * name.
 */
const plainWord = (code: unknown): string | null =>
  typeof code === 'string' && /^(?:[A-Za-z_]{1,64}|\d{1,4})$/.test(code) ? code : null
