import { createWebhookHandler as createFetchHandler } from './next.ts'
import type { OnEvent, WebhookHandlerOptions } from './receive.ts'

export type { OnEvent, WebhookHandlerOptions } from './receive.ts'

/** What this package needs of Hono's context. */
export interface HonoContext {
  readonly req: { readonly raw: Request }
}

/**
 * A handler for Hono.
 *
 * Answers 200 once `onEvent` has ended and 400 to what does not verify; what `onEvent` throws goes to Hono.
 *
 * @example
 * app.post('/webhooks', createWebhookHandler({ secrets: endpointSecret }, (event) => inbox.keep(event)))
 */
export function createWebhookHandler(
  options: WebhookHandlerOptions,
  onEvent: OnEvent,
): (context: HonoContext) => Promise<Response> {
  const handle = createFetchHandler(options, onEvent)
  return ({ req }) => handle(req.raw)
}
