import type { Attempt, AttemptState } from './attempts.ts'
import { PayerClientError } from './error.ts'
import { exchange, type Refused } from './exchange.ts'
import { parseIntent } from './intent.ts'
import { INTENTS } from './reads.ts'
import type { Trouble } from './result.ts'
import type { Run, Why } from './run.ts'

/** Long, because the service calls the rail before it answers. */
const CONFIRM_TIMEOUT_MS = 30_000

/** The result of sending an attempt. With `trouble` it may or may not have arrived. With `error` it never will. */
export type Sent =
  | {
      readonly state: Exclude<AttemptState, 'refused'>
      /** Whether the answer itself has the decline. It is no stale read, so its error is that of this charge. */
      readonly isDeclined?: boolean
    }
  | { readonly state: 'refused'; readonly why: Why }
  | { readonly trouble: Trouble }
  | { readonly error: PayerClientError }

/**
 * Sends an attempt with its key. An attempt whose decline was already reported is only closed: an empty order
 * opens no charge. After any answer to it, a copy of the earlier request that is still on its way cannot open
 * one either.
 */
export async function sendConfirm(run: Run, intentId: string, attempt: Attempt): Promise<Sent> {
  const closes = attempt.state === 'told'
  const reply = await exchange(run, {
    path: `${INTENTS}${intentId}/confirm`,
    idempotencyKey: attempt.key,
    body: closes ? '' : run.body,
    timeoutMs: CONFIRM_TIMEOUT_MS,
    limits: run,
  })
  if ('trouble' in reply) return reply
  if ('found' in reply) {
    const intent = parseIntent(reply.found, intentId)
    if (intent === null) return { trouble: 'protocol' }
    const isOpen = intent.status === 'processing' || intent.live_charge !== null
    return { state: 'accepted', isDeclined: !isOpen && intent.last_payment_error !== null }
  }
  if (reply.shouldRetry) return { trouble: 'server' }
  // A 404 is not stored under the key; the next read reports what is missing.
  if (reply.status === 404) return { trouble: 'protocol' }
  // Before a reload, another order was sent with this key and did arrive.
  if (closes || reply.code === 'idempotency_key_in_use') return { state: 'spent' }
  if (reply.status !== 409) return { error: refusal(reply) }
  const { code } = reply
  if (code === 'too_many_attempts') return { state: 'refused', why: code }
  // A charge of another device was under way. Once it has ended, the payment can be made here.
  return { state: 'refused', why: code === 'charge_in_progress' ? 'server' : 'conflict' }
}

function refusal({ status, code, param, requestId }: Refused): PayerClientError {
  const what = param === undefined ? code : `${code}, ${param}`
  const details = { reason: 'refused', status, code, param, requestId } as const
  return new PayerClientError(`The service refused the payment: ${what}`, details)
}
