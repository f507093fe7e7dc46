import { type Operation, Refusal } from '@merchant-payments/contract'
import { type Answer, type Deps, type KeyClaim, settleRefusal } from '@merchant-payments/core'
import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { claimOf } from './idempotency-key.ts'
import { formOf, parseBody } from './params.ts'

/**
 * Runs a command once for its Idempotency-Key. Replays a stored answer before it validates parameters, so that a
 * refused parameter is also stored under its key.
 *
 * @throws Refusal invalid_request if the body is not a form or the key is missing
 */
export async function runOnce<Body extends z.ZodType>(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  { ok, body: schema }: Pick<Operation, 'ok'> & { readonly body?: Body | undefined },
  request: FastifyRequest,
  keys: Pick<KeyClaim, 'merchantId' | 'scope'>,
  run: (claim: KeyClaim, body: z.output<Body>) => Promise<Answer>,
): Promise<Answer> {
  const bytes = formOf(request)
  const claim = claimOf(request, { ...keys, okStatus: ok.status }, bytes)
  const body = parseBody(schema, bytes)
  if (body instanceof Refusal) return settleRefusal(db, claim, body, clock())
  return run(claim, body)
}
