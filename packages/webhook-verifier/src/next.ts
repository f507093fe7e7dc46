import { createReceive, type OnEvent, type WebhookHandlerOptions } from './receive.ts'

export type { OnEvent, WebhookHandlerOptions } from './receive.ts'

/**
 * A route handler for Next.js, and for any framework that takes a Fetch `Request` and returns a `Response`.
 *
 * Answers 200 once `onEvent` has ended, and 400 if verification fails. Errors of `onEvent` are rethrown.
 *
 * @example
 * // app/webhooks/route.ts
 * export const POST = createWebhookHandler({ secrets: endpointSecret }, (event) => inbox.keep(event))
 */
export function createWebhookHandler(
  options: WebhookHandlerOptions,
  onEvent: OnEvent,
): (request: Request) => Promise<Response> {
  const receive = createReceive(options, onEvent)
  return async (request) => {
    const status = await receive((verifier) => verifier.verifyRequest(request))
    return new Response(null, { status })
  }
}
