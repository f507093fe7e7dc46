import { type Operation, Refusal } from '@merchant-payments/contract'
import { fingerprintOf, type PayerNumbers } from '@merchant-payments/core'
import { sqlState } from '@merchant-payments/db'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { keyOf } from '../http/idempotency-key.ts'
import { answerOf, type Served } from '../http/mount.ts'
import { formOf, parseBody, parseQuery } from '../http/params.ts'
import { pathOf } from '../http/paths.ts'
import type { Question, Read, Write } from './handlers.ts'
import type { SignedIn } from './session.ts'
import { noteChange } from './standby.ts'
import type { LogAuditEntry } from './log-audit-entry.ts'

/** Serves a read, or a change that takes no key and so has an answer of its own. */
export function reading(operation: Operation, run: Read, logEntry: LogAuditEntry): Served<SignedIn> {
  const canNarrow = takesCreated(operation)
  return {
    operation,
    slotClass: 'staff',
    run: async (signedIn, request, reply) => {
      if (operation.isRead !== true) noteChange(reply)
      const { id: requestId, params } = request
      const query = parseQuery(operation.query, request)
      const body = bodyOf(operation, request)
      const logged: Question['logged'] = async (viewed) => {
        const { answer, entry } = await viewed
        if (entry !== null) await logEntry(entry)
        return answer
      }
      const by = { staff: signedIn.staff, requestId }
      const found = run({ by, signedIn, request, reply, params, query, body, logged })
      return answerOf(operation.ok.status, await (canNarrow ? orTooMuch(found) : found))
    },
  }
}

/** Serves a change, which answers with its audit entry. */
export const writing = (
  operation: Operation,
  run: Write,
  logEntry: LogAuditEntry,
  { fingerprintsOf }: PayerNumbers,
): Served<SignedIn> => ({
  operation,
  slotClass: 'staff',
  run: async ({ staff }, request, reply) => {
    noteChange(reply)
    const bytes = formOf(request)
    const key = keyOf(request)
    const body = bodyOf(operation, request)
    const { reason } = body as { reason: string }
    const bare = fingerprintOf(request.method, pathOf(request.url), bytes)
    const [fingerprint, ...otherFingerprints] = fingerprintsOf(bare)
    const change = { staff, reason, requestId: request.id, key, fingerprint, otherFingerprints }
    const { entry, replayed } = await run({ request: change, params: request.params, body })
    if (!replayed) await logEntry(entry)
    return { ...answerOf(operation.ok.status, entry), replayed }
  },
})

/** @throws Refusal invalid_request */
function bodyOf(operation: Operation, request: FastifyRequest): unknown {
  if (operation.body === undefined) return undefined
  const body = parseBody(operation.body, formOf(request))
  if (body instanceof Refusal) throw body
  return body
}

/** PostgreSQL's query_canceled. */
const TIMED_OUT = '57014'

/** Whether the reader can narrow the time of what is read. */
const takesCreated = ({ query, body }: Operation): boolean =>
  [query, body].some((schema) => schema instanceof z.ZodObject && 'created' in schema.shape)

/** Turns a statement timeout into a 400. A filter that matches few of very many rows can cause it. */
async function orTooMuch<T>(found: Promise<T>): Promise<T> {
  try {
    return await found
  } catch (error) {
    if (sqlState(error) !== TIMED_OUT) throw error
    throw new Refusal('invalid_request', 'The query timed out; narrow the `created` range.', {
      param: 'created',
      cause: error,
    })
  }
}
