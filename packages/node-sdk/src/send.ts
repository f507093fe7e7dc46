import { Deadline } from './deadline.ts'
import { withKey } from './errors.ts'
import { exchange, type Outgoing } from './exchange.ts'
import { type FailureEvent, notify } from './hooks.ts'
import { isPaymentsError, type PaymentsError } from './payments-error.ts'
import { errorOfReply, isSuccess, jsonObject, type Reply } from './reply.ts'
import {
  type Call,
  checkRequestOptions,
  type ObjectCall,
  outgoingOf,
  type RequestOptions,
} from './request.ts'
import { type LastResponse, type PendingCall, pendingCall, type Result } from './result.ts'
import { backoffMs, isSoon } from './retry.ts'
import { checkMaxRetries, checkTimeoutMs, type Settings } from './settings.ts'
import type { TokenCache } from './token-cache.ts'

export type Send = <T extends object>(
  call: Call | ObjectCall,
  options?: RequestOptions,
) => PendingCall<Result<T>>

/** Sends a call with its retries. The promise has its result, or rejects with its error. */
export function createSend(settings: Settings, tokens: TokenCache): Send {
  return <T extends object>(call: Call | ObjectCall, options: RequestOptions = {}) =>
    pendingCall(sendWithRetries<T>({ settings, tokens }, call, options))
}

type Prepared = Omit<Outgoing, 'attempt'>

interface Terms {
  readonly timeoutMs: number
  readonly maxRetries: number
  readonly signal: AbortSignal | undefined
  readonly idempotencyKey: string | undefined
}

interface Sender {
  readonly settings: Settings
  readonly tokens: TokenCache
}

interface Sending extends Sender {
  readonly request: Prepared
  readonly terms: Terms
}

/** Throws a TypeError for invalid input. */
function prepare(sender: Sender, call: Call | ObjectCall, options: RequestOptions): Sending {
  checkRequestOptions(options)
  const { settings } = sender
  const request = outgoingOf(settings, call, options)
  const terms = {
    timeoutMs: checkTimeoutMs(options.timeoutMs ?? settings.timeoutMs),
    maxRetries: checkMaxRetries(options.maxRetries ?? settings.maxRetries),
    signal: options.signal,
    idempotencyKey: request.headers['idempotency-key'],
  }
  return { ...sender, request, terms }
}

async function sendWithRetries<T extends object>(
  sender: Sender,
  call: Call | ObjectCall,
  options: RequestOptions,
): Promise<Result<T>> {
  const sending = prepare(sender, call, options)
  const { settings, tokens, terms } = sending
  let retries = 0
  let mayReauthenticate = true
  for (let attempt = 1; ; attempt += 1) {
    const { token, outcome } = await tryOnce(sending, attempt)
    if (!isPaymentsError(outcome) && isSuccess(outcome)) {
      const value = jsonObject(outcome)
      if (value !== undefined) return resultOf<T>(value, outcome)
    }
    if (token !== undefined && outcome.status === 401) {
      tokens.invalidate(token)
      if (mayReauthenticate) {
        mayReauthenticate = false
        continue
      }
    }
    const error = isPaymentsError(outcome) ? outcome : errorOfReply(outcome)
    if (!error.shouldRetry || retries === terms.maxRetries || !isSoon(error)) {
      throw failed(sending, attempt, error)
    }
    retries += 1
    const delayMs = backoffMs(retries, error, settings.random)
    notify(settings.hooks.onRetry, () => ({ ...failureOf(sending, attempt, error), delayMs }))
    await settings.sleep(delayMs, terms.signal)
  }
}

interface Outcome {
  /** The token that was sent; undefined if there was none to send. */
  readonly token: string | undefined
  readonly outcome: Reply | PaymentsError
}

/**
 * Never rejects. A failed token request has the key of this call, because an earlier
 * attempt of it may have made the payment.
 */
async function tryOnce({ settings, tokens, request, terms }: Sending, attempt: number): Promise<Outcome> {
  const deadline = new Deadline(terms)
  let token: string | undefined
  try {
    deadline.throwIfOver()
    token = tokens.held() ?? (await tokens.get(deadline))
    const headers = { ...request.headers, authorization: `Bearer ${token}` }
    return { token, outcome: await exchange(settings, { ...request, headers, attempt }, deadline) }
  } catch (error) {
    return { token, outcome: withKey(error, terms.idempotencyKey) }
  } finally {
    deadline.clear()
  }
}

function failed(sending: Sending, attempt: number, error: PaymentsError): PaymentsError {
  notify(sending.settings.hooks.onFailure, () => failureOf(sending, attempt, error))
  return error
}

function failureOf({ request, terms }: Sending, attempt: number, error: PaymentsError): FailureEvent {
  const { method, url } = request
  return { method, url, attempt, idempotencyKey: terms.idempotencyKey, error }
}

function resultOf<T extends object>(value: object, reply: Reply): Result<T> {
  const lastResponse: LastResponse = {
    status: reply.status,
    headers: reply.headers,
    requestId: reply.headers['request-id'],
    idempotentReplayed: reply.headers['idempotent-replayed'] === 'true',
  }
  return Object.defineProperty(value, 'lastResponse', { value: lastResponse }) as Result<T>
}
