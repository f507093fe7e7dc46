import type { Trouble } from './result.ts'

/** The fields of a {@link PayerClientError} besides its message. */
export interface PayerClientErrorDetails {
  readonly reason: Trouble | 'refused' | 'not_found' | 'aborted'
  readonly status?: number | undefined
  readonly code?: string | undefined
  readonly param?: string | undefined
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
  override readonly name = 'PayerClientError'
  declare readonly reason: PayerClientErrorDetails['reason']
  declare readonly status: number | undefined
  /** The service's error code, such as `invalid_request`. */
  declare readonly code: string | undefined
  declare readonly param: string | undefined
  declare readonly requestId: string | undefined

  constructor(message: string, details: PayerClientErrorDetails) {
    super(message)
    Object.assign(this, details)
  }
}
