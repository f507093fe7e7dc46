import { type Operation, Refusal } from '@merchant-payments/contract'
import { type Answer, type Deps, type KeyClaim, settleRefusal } from '@merchant-payments/core'
import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { claimOf } from './idempotency-key.ts'
import { formOf, parseBody } from './params.ts'

/**
 * Runs a command once for its Idempotency-Key. A stored answer is replayed before any parameter is judged, so a refused
 * parameter is settled under its key.
 *
 * @throws Refusal invalid_request of a body that is no form, or a key that is missing
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
