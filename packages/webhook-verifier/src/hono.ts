import { createReceive, type OnEvent, type WebhookHandlerOptions } from './receive.ts'

export type { OnEvent, WebhookHandlerOptions } from './receive.ts'

/** The part of Hono's context that this package uses. */
export interface HonoContext {
  /** The request, as Hono wraps it. */
  readonly req: {
    /** The request itself. */
    readonly raw: Request
  }
}

/**
 * A handler for Hono.
 *
 * Answers 200 once `onEvent` has ended, and 400 if verification fails. Errors of `onEvent` go to Hono.
 *
 * @example
 * app.post('/webhooks', createWebhookHandler({ secrets: endpointSecret }, (event) => inbox.keep(event)))
 */
export function createWebhookHandler(
  options: WebhookHandlerOptions,
  onEvent: OnEvent,
): (context: HonoContext) => Promise<Response> {
  const receive = createReceive(options, onEvent)
  return async ({ req }) => {
    const status = await receive((verifier) => verifier.verifyRequest(req.raw))
    return new Response(null, { status })
  }
}
