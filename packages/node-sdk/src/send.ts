import { startDeadline } from './deadline.ts'
import { exchange, type Outgoing } from './exchange.ts'
import { notify } from './hooks.ts'
import { isPaymentsError, type PaymentsError } from './payments-error.ts'
import { decodeErrorOf, errorOfReply, isSuccess, jsonObject, type Reply } from './reply.ts'
import { type Call, outgoingOf, type RequestOptions } from './request.ts'
import { backoffMs } from './retry.ts'
import { checkMaxRetries, checkTimeoutMs, type Settings } from './settings.ts'
import type { TokenCache } from './token-cache.ts'

/** The response from which a result was read. */
interface LastResponse {
  /** The HTTP status. */
  readonly status: number
  /** The headers without `set-cookie`; names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The `request-id` header. Quote it to support. */
  readonly requestId: string | undefined
  /** Whether the service replayed the stored answer of an earlier call with this idempotency key. */
  readonly idempotentReplayed: boolean
}

/**
 * An object of the API. `lastResponse` is not enumerable, so it stays out of JSON, spreads and comparisons.
 *
 * @example
 * ```ts
 * const intent = await payments.paymentIntents.retrieve(id)
 * console.log(intent.status, intent.lastResponse.requestId)
 * ```
 */
export type Result<T> = T & {
  /** The response from which the object was read. */
  readonly lastResponse: LastResponse
}

export type Send = <T extends object>(call: Call, options?: RequestOptions) => Promise<Result<T>>

/** Sends a call with its retries, and returns its result or throws its error. */
export function createSend(settings: Settings, tokens: TokenCache): Send {
  return async <T extends object>(call: Call, options: RequestOptions = {}) => {
    const request = outgoingOf(settings, call, options)
    const terms = {
      timeoutMs: checkTimeoutMs(options.timeoutMs ?? settings.timeoutMs),
      maxRetries: checkMaxRetries(options.maxRetries ?? settings.maxRetries),
      signal: options.signal,
    }
    let retries = 0
    let mayReauthenticate = true
    for (let attempt = 1; ; attempt += 1) {
      const { token, outcome } = await tryOnce(settings, tokens, { ...request, attempt }, terms)
      if (!isPaymentsError(outcome) && isSuccess(outcome)) return resultOf<T>(outcome)
      if (outcome.status === 401) {
        tokens.invalidate(token)
        if (mayReauthenticate) {
          mayReauthenticate = false
          continue
        }
      }
      const error = isPaymentsError(outcome) ? outcome : errorOfReply(outcome)
      if (!error.shouldRetry || retries === terms.maxRetries) throw error
      retries += 1
      const delayMs = backoffMs(retries, error.code, settings.random)
      const { method, url } = request
      notify(settings.hooks.onRetry, () => ({ method, url, attempt, delayMs, error }))
      await settings.sleep(delayMs, options.signal)
    }
  }
}

interface Terms {
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

/** Throws errors that a retry cannot fix: a failed token request, an abort. */
async function tryOnce(settings: Settings, tokens: TokenCache, request: Outgoing, terms: Terms) {
  const deadline = startDeadline({ ...terms, idempotencyKey: request.headers['idempotency-key'] })
  try {
    const token = await deadline.race(() => tokens.get())
    const headers = { ...request.headers, authorization: `Bearer ${token}` }
    const outcome = await exchange(settings, { ...request, headers }, deadline).catch(retryable)
    return { token, outcome }
  } finally {
    deadline.clear()
  }
}

function retryable(error: unknown): PaymentsError {
  if (isPaymentsError(error) && error.shouldRetry) return error
  throw error
}

function resultOf<T extends object>(reply: Reply): Result<T> {
  const value = jsonObject(reply)
  if (value === undefined) throw decodeErrorOf(reply)
  const lastResponse: LastResponse = {
    status: reply.status,
    headers: reply.headers,
    requestId: reply.headers['request-id'],
    idempotentReplayed: reply.headers['idempotent-replayed'] === 'true',
  }
  return Object.defineProperty(value, 'lastResponse', { value: lastResponse }) as Result<T>
}
