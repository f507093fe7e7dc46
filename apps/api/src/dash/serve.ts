import { Refusal } from '@merchant-payments/contract'
import { fingerprintOf, type Staff } from '@merchant-payments/core'
import { sqlState } from '@merchant-payments/db'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { parseForm } from '../http/form-body.ts'
import { keyOf } from '../http/idempotency-key.ts'
import { formOf, parseBody, parseParams } from '../http/params.ts'
import { pathOf, queryOf } from '../http/path-table.ts'
import type { DashRoute } from './handle.ts'
import type { TellEntry } from './tell-entry.ts'

/** Runs what is behind a route, for a staff member who may. */
export async function serve(
  route: DashRoute,
  request: FastifyRequest,
  reply: FastifyReply,
  staff: Staff,
  tell: TellEntry,
): Promise<object> {
  const { params } = request
  if (route.kind === 'read') {
    const { query: schema } = route.operation
    const query = schema === undefined ? undefined : parseParams(schema, parseForm(queryOf(request.url)))
    const body = bodyOf(route, request)
    const by = { staff, requestId: request.id }
    const { answer, entry } = await orTooMuch(async () => route.run({ by, params, query, body }))
    if (entry !== null) await tell(entry)
    return answer
  }
  const bytes = formOf(request)
  const key = keyOf(request)
  const body = bodyOf(route, request)
  const { reason } = body as { reason: string }
  const fingerprint = fingerprintOf(request.method, pathOf(request.url), bytes)
  const change = { staff, reason, requestId: request.id, key, fingerprint }
  const { entry, replayed } = await route.run({ request: change, params, body })
  if (replayed) reply.header('idempotent-replayed', 'true')
  else await tell(entry)
  return entry
}

/** @throws Refusal invalid_request */
function bodyOf({ operation }: DashRoute, request: FastifyRequest): unknown {
  if (operation.body === undefined) return undefined
  const body = parseBody(operation.body, formOf(request))
  if (body instanceof Refusal) throw body
  return body
}

/** query_canceled. */
const TIMED_OUT = '57014'

/** A list that looks for few rows among very many ends with the statement's time. */
async function orTooMuch<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (sqlState(error) !== TIMED_OUT) throw error
    throw new Refusal('invalid_request', 'must name a shorter time: there is too much to look through', {
      param: 'created',
      cause: error,
    })
  }
}
