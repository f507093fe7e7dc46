import {
  createVerifier,
  isWebhookVerificationError,
  type WebhookHeaders,
} from '@merchant-payments/webhook-verifier'
import type { Orders } from './orders.ts'

/**
 * Handles one webhook.
 *
 * @returns the status to answer with
 */
export type TakeWebhook = (body: Buffer | string, headers: WebhookHeaders) => Promise<200 | 400>

/** Spec 4.6: an order is fulfilled from the signed webhook, never from where the browser went or what it sent. */
export function createWebhooks(secrets: readonly string[], orders: Orders): TakeWebhook {
  const verifier = createVerifier({ secrets: [...secrets] })
  return async (body, headers) => {
    try {
      const event = await verifier.verify(body, headers)
      if (event.type === 'payment_intent.succeeded') orders.settle(event.data.object.id)
      return 200
    } catch (error) {
      if (isWebhookVerificationError(error)) return 400
      throw error
    }
  }
}
