import { type Attempt, type Clock, type DeliveryJob, ENDPOINT_GONE, secondsOf } from '@merchant-payments/core'
import type { Egress } from '../egress/egress.ts'
import type { Endpoints } from './endpoints.ts'

export interface AttemptDeps {
  readonly clock: Clock
  readonly endpoints: Endpoints
  readonly egress: Egress
}

const USER_AGENT = 'merchant-payments-webhooks/1'

/** Signs and posts one delivery. Throws only for a fault of ours. */
export async function attemptDelivery(deps: AttemptDeps, job: DeliveryJob): Promise<Attempt> {
  const startedAtMs = deps.clock()
  const outcome = await outcomeOf(deps, job, startedAtMs)
  return { job, startedAtMs, durationMs: deps.clock() - startedAtMs, ...outcome }
}

async function outcomeOf({ endpoints, egress }: AttemptDeps, job: DeliveryJob, nowMs: number) {
  const endpoint = endpoints.find(job.merchantId, job.endpointId)
  if (endpoint === undefined) return gone
  const body = job.takeBody()
  // Spec 6.3.4: verifiers refuse a `t` older than five minutes, so each attempt has its own signature.
  const signature = endpoint.sign(secondsOf(nowMs), body)
  const headers = {
    'Content-Type': 'application/json',
    'Service-Signature': signature,
    'Compat-Signature': signature,
    'Service-Event-Id': job.eventId,
    'User-Agent': USER_AGENT,
  }
  return egress.post({ owner: job.merchantId, url: endpoint.url, headers, body })
}

const gone = { result: 'refused', statusCode: null, error: ENDPOINT_GONE, responseExcerpt: null } as const
