import { type Operation, Refusal } from '@merchant-payments/contract'
import { type Answer, type Deps, type KeyClaim, replayOr, settleRefusal } from '@merchant-payments/core'
import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { claimOf } from './idempotency-key.ts'
import { formOf, parseBody } from './params.ts'

/**
 * Runs a command once for its Idempotency-Key. Replays the stored answer if this process has answered the request
 * before. Otherwise a parameter error is stored under the key like any other answer.
 *
 * @throws Refusal invalid_request if the body is not a form or the key is missing
 */
export async function runOnce<Body extends z.ZodType>(
  deps: Pick<Deps, 'db' | 'writes' | 'clock'>,
  { ok, body: schema }: Pick<Operation, 'ok'> & { readonly body?: Body | undefined },
  request: FastifyRequest,
  keys: Pick<KeyClaim, 'merchantId' | 'scope'>,
  run: (claim: KeyClaim, body: z.output<Body>) => Promise<Answer>,
): Promise<Answer> {
  const bytes = formOf(request)
  const claim = claimOf(request, { ...keys, okStatus: ok.status }, bytes)
  return replayOr(deps, claim, () => {
    const body = parseBody(schema, bytes)
    return body instanceof Refusal ? settleRefusal(deps.db, claim, body, deps.clock()) : run(claim, body)
  })
}
