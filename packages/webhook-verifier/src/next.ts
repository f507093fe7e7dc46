import { createReceive, type OnEvent, type Receive, type WebhookHandlerOptions } from './receive.ts'

export type { OnEvent, WebhookHandlerOptions } from './receive.ts'

/**
 * A route handler for Next.js, and for any framework that takes a Fetch `Request` and returns a `Response`.
 *
 * Answers 200 once `onEvent` has ended, and 400 if verification fails. Errors of `onEvent` are rethrown. The
 * options are checked at the first request, because `next build` loads the route without the secret.
 *
 * @example
 * // app/webhooks/route.ts
 * export const POST = createWebhookHandler({ secrets: endpointSecret }, (event) => inbox.keep(event))
 */
export function createWebhookHandler(
  options: WebhookHandlerOptions,
  onEvent: OnEvent,
): (request: Request) => Promise<Response> {
  let receive: Receive | undefined
  return async (request) => {
    receive ??= createReceive(options, onEvent)
    const status = await receive((verifier) => verifier.verifyRequest(request))
    return new Response(null, { status })
  }
}
