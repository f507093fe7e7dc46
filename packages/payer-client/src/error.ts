import type { Trouble } from './result.ts'

/** The fields of a {@link PayerClientError} besides its message. */
export interface PayerClientErrorDetails {
  /** Why there is no answer, or that the service refused. */
  readonly reason: Trouble | 'refused' | 'not_found' | 'aborted'
  /** The HTTP status; absent when no answer came. */
  readonly status?: number | undefined
  /** The service's error code, such as `invalid_request`. */
  readonly code?: string | undefined
  /** The parameter at fault, in bracket spelling. */
  readonly param?: string | undefined
  /** The id of the request, to quote to support. */
  readonly requestId?: string | undefined
}

/**
 * A failed read, or an order that the service refused: then `reason` is `refused` and `param` names the wrong
 * part, such as the number. Outcomes of payments are results, never errors. The error contains no secret and
 * no number.
 *
 * @example
 * ```ts
 * try {
 *   await client.pay({ rail: 'mtn_momo_cm', msisdn })
 * } catch (error) {
 *   if (!(error instanceof PayerClientError) || error.reason !== 'refused') throw error
 *   form.mark(error.param)
 * }
 * ```
 */
export class PayerClientError extends Error {
  /** The name of the class, which stays when code is minified. */
  override readonly name = 'PayerClientError'
  /** Why there is no answer, or that the service refused. */
  declare readonly reason: PayerClientErrorDetails['reason']
  /** The HTTP status; absent when no answer came. */
  declare readonly status: number | undefined
  /** The service's error code, such as `invalid_request`. */
  declare readonly code: string | undefined
  /** The parameter at fault, in bracket spelling. */
  declare readonly param: string | undefined
  /** The id of the request, to quote to support. */
  declare readonly requestId: string | undefined

  constructor(message: string, details: PayerClientErrorDetails) {
    super(message)
    Object.assign(this, details)
  }
}
