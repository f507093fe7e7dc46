/** Why a delivery was refused. The codes are stable: use them in conditions, not the message. */
export type WebhookVerificationErrorCode =
  | 'missing_header'
  | 'malformed_header'
  | 'no_v1_signature'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'signature_mismatch'
  | 'body_not_raw'
  | 'invalid_json'
  | 'payload_too_large'

const brand = Symbol.for('@merchant-payments/webhook-verifier.WebhookVerificationError')

/**
 * The only error that verifying throws. Its message names the likely cause and the remedy. It never contains
 * a secret or a part of the body.
 *
 * @example
 * try {
 *   await verifier.verify(rawBody, headers)
 * } catch (error) {
 *   if (isWebhookVerificationError(error)) console.warn(error.code, error.message)
 *   throw error
 * }
 */
export class WebhookVerificationError extends Error {
  /** The name of the class, which stays when code is minified. */
  override readonly name: string = 'WebhookVerificationError'
  /** Why the delivery was refused. Use it in conditions, not the message. */
  readonly code: WebhookVerificationErrorCode

  constructor(code: WebhookVerificationErrorCode) {
    super(remedies[code])
    this.code = code
    Object.defineProperty(this, brand, { value: true })
  }
}

/**
 * Whether an error is a verification error. It also works if two copies of this package are loaded (one by
 * `import`, one by `require`), where `instanceof` returns false.
 *
 * @example
 * const status = isWebhookVerificationError(error) ? 400 : 500
 */
export function isWebhookVerificationError(error: unknown): error is WebhookVerificationError {
  return typeof error === 'object' && error !== null && brand in error
}

export const remedies: Record<WebhookVerificationErrorCode, string> = {
  missing_header: 'No signature header. Pass all request headers; a proxy may drop some.',
  malformed_header: 'The signature header is not t=<unix seconds>,v1=<hex>. Pass it once, unchanged.',
  no_v1_signature: 'The signature header has no v1. Update this package.',
  timestamp_too_old: 'Signed too long ago: a replay, a slow queue, or a clock here that is fast.',
  timestamp_too_new: 'Signed in the future: the clock here is slow.',
  signature_mismatch:
    'No v1 signature matches. Check the secret, its white space too, and that nothing re-encoded the body.',
  body_not_raw: 'The body was parsed or read before. Pass the raw bytes: express.raw(), not express.json().',
  invalid_json: 'Signed, but not a JSON event. Check what else has this secret.',
  payload_too_large: 'The body is over bodyMaxBytes. Raise it if need be.',
}
