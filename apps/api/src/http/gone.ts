import { Refusal } from '@merchant-payments/contract'
import type { FastifyReply } from 'fastify'

/** Aborts once the client has left, or has its answer. Its reason is logged as the answer, which nobody receives. */
export function goneOf({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  const leave = () =>
    gone.abort(new Refusal('invalid_request', 'The client left before the answer was ready.'))
  if (raw.closed) leave()
  else raw.once('close', leave)
  return gone.signal
}
