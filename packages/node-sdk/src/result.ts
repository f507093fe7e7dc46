/**
 * The response from which a result was read.
 *
 * @example
 * ```ts
 * const { status, requestId }: LastResponse = (await payments.paymentIntents.retrieve(id)).lastResponse
 * ```
 */
export interface LastResponse {
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

/**
 * A result beside the response from which it was read.
 *
 * @example
 * ```ts
 * const { data, response }: WithResponse<PaymentIntent> = await payments.paymentIntents.retrieve(id).withResponse()
 * console.log(data.status, response.status, response.requestId)
 * ```
 */
export interface WithResponse<R> {
  /** The result of the call. */
  readonly data: R
  /** The response of the attempt that succeeded: its status, headers and request id. */
  readonly response: LastResponse
}

/**
 * A call that was sent: a promise of its result.
 *
 * @example
 * ```ts
 * const { data, response } = await payments.paymentIntents.create(params).withResponse()
 * log.info({ id: data.id, status: response.status, requestId: response.requestId })
 * ```
 */
export interface PendingCall<R> extends Promise<R> {
  /** Returns the result with its response. It rejects as the call does, and sends nothing again. */
  withResponse(): Promise<WithResponse<R>>
}

async function withResponse<R extends { readonly lastResponse: LastResponse }>(
  this: Promise<R>,
): Promise<WithResponse<R>> {
  const data = await this
  return { data, response: data.lastResponse }
}

/** Adds `withResponse` to the promise itself, because a subclass of Promise would make each `await` slower. */
export function pendingCall<R extends { readonly lastResponse: LastResponse }>(
  result: Promise<R>,
): PendingCall<R> {
  return Object.assign(result, { withResponse: withResponse<R> })
}
