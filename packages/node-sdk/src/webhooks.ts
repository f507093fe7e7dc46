import type {
  RawBody,
  VerifierOptions,
  WebhookHeaders,
  WebhookRequest,
} from '@merchant-payments/webhook-verifier'
import type { Event } from './wire.ts'

/**
 * Verifies the webhooks of one endpoint.
 *
 * @example
 * ```ts
 * const verifier = payments.webhooks.createVerifier({ secrets: endpointSecret })
 * const event = await verifier.verify(rawBody, request.headers)
 * ```
 */
export interface WebhookVerifier {
  /** Returns the event of a body in memory, or rejects with a `WebhookVerificationError`. */
  verify(rawBody: RawBody, headers: WebhookHeaders): Promise<Event>
  /** Like `verify`, for a Fetch `Request`. Stops reading a body at the size limit. */
  verifyRequest(request: WebhookRequest): Promise<Event>
  /** Like `verify`, and reports which secret matched. */
  verifyDetailed(
    rawBody: RawBody,
    headers: WebhookHeaders,
  ): Promise<{
    /** The event that the body holds. */
    event: Event
    /** Index into `secrets` of the first secret that matched. */
    secretIndex: number
  }>
}

/**
 * Webhooks: `@merchant-payments/webhook-verifier` as a part of the client. It needs no token.
 *
 * @example
 * ```ts
 * const { createVerifier } = payments.webhooks
 * const verifier = createVerifier({ secrets: [newSecret, oldSecret] })
 * ```
 */
export interface Webhooks {
  /** Makes a verifier for one endpoint. Make it once and keep it, because it holds the imported keys. */
  createVerifier(options: VerifierOptions): WebhookVerifier
}
