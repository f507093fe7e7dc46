import type { RawBody } from '@merchant-payments/webhook-verifier'
import { createReceive, type OnEvent, type WebhookHandlerOptions } from './receive.ts'

export type { OnEvent, WebhookHandlerOptions } from './receive.ts'

interface FastifyRequest {
  readonly body: unknown
  readonly headers: Record<string, string | string[] | undefined>
}

interface FastifyReply {
  code(status: number): { send(): unknown }
}

/** What this package needs of Fastify's instance. */
export interface FastifyScope {
  removeAllContentTypeParsers(): unknown
  addContentTypeParser(
    contentType: string,
    options: { parseAs: 'buffer' },
    parser: (request: unknown, body: Uint8Array, done: (error: null, body: Uint8Array) => void) => void,
  ): unknown
  post(path: string, handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>): unknown
}

export interface WebhookPluginOptions extends WebhookHandlerOptions {
  /** `/webhooks` by default. */
  path?: string
  onEvent: OnEvent
}

/**
 * A plugin for Fastify: one POST route whose body stays bytes, and nothing else of the application changes.
 *
 * Answers 200 once `onEvent` has ended and 400 to what does not verify; what `onEvent` throws goes to Fastify.
 *
 * @example
 * app.register(webhookPlugin, { path: '/webhooks', secrets: endpointSecret, onEvent: (event) => inbox.keep(event) })
 */
export async function webhookPlugin(
  scope: FastifyScope,
  { path = '/webhooks', onEvent, ...options }: WebhookPluginOptions,
): Promise<void> {
  const receive = createReceive(options, onEvent)
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  scope.post(path, async ({ body, headers }, reply) => {
    // A request without a body has none, and is judged as an empty one.
    const status = await receive((verifier) => verifier.verify((body ?? '') as RawBody, headers))
    return reply.code(status).send()
  })
}
