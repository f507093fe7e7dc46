import { createMatcher } from './hmac.ts'
import { buildVerifier, type Verifier, type VerifierOptions } from './verifier.ts'

export type { RawBody, WebhookRequest, WebhookRequestBody } from './body.ts'
export type { WebhookVerificationErrorCode } from './error.ts'
export { isWebhookVerificationError, WebhookVerificationError } from './error.ts'
export type { Event, EventOf, EventType, UnknownEvent } from './events.ts'
export type { HeadersLike, WebhookHeaders } from './header.ts'
export type { WebhookSecret } from './secrets.ts'
export type { Verification, Verifier, VerifierOptions } from './verifier.ts'
export type {
  Address,
  CheckoutSession,
  Currency,
  Customer,
  DeclineCode,
  EventObjects,
  Invoice,
  Metadata,
  NextAction,
  PaymentError,
  PaymentIntent,
  Refund,
} from './wire.ts'

/**
 * Makes a verifier for one endpoint. Make it once and keep it, because it holds the imported keys.
 *
 * @throws TypeError or RangeError for options that would not verify anything
 * @example
 * const verifier = createVerifier({ secrets: [newSecret, oldSecret] })
 *
 * export async function POST(request: Request): Promise<Response> {
 *   const event = await verifier.verifyRequest(request)
 *   if (event.type === 'payment_intent.succeeded') await fulfil(event.data.object.id)
 *   return new Response()
 * }
 */
export function createVerifier(options: VerifierOptions): Verifier {
  return buildVerifier(options, createMatcher)
}
