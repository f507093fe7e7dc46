import type { RawBody } from '@merchant-payments/webhook-verifier'
import { createReceive, type OnEvent, type WebhookHandlerOptions } from './receive.ts'

export type { OnEvent, WebhookHandlerOptions } from './receive.ts'

interface FastifyRequest {
  /** The bytes of the body; undefined without one. */
  readonly body: unknown
  /** The headers by name, as Node reads them. */
  readonly headers: Record<string, string | string[] | undefined>
}

interface FastifyReply {
  /** Sets the status of the answer. */
  code(status: number): {
    /** Sends the answer. */
    send(): unknown
  }
}

/** The part of Fastify's instance that this package uses. */
export interface FastifyScope {
  /** Removes the parsers of the scope, also that of JSON. */
  removeAllContentTypeParsers(): unknown
  /** Adds a parser for bodies of a content type. */
  addContentTypeParser(
    contentType: string,
    options: {
      /** Reads the body as bytes. */
      parseAs: 'buffer'
    },
    parser: (request: unknown, body: Uint8Array, done: (error: null, body: Uint8Array) => void) => void,
  ): unknown
  /** Adds a route. */
  post(
    path: string,
    options: {
      /** The largest body that Fastify reads, in bytes. Fastify answers 413 to a larger one. */
      bodyLimit: number
    },
    handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
  ): unknown
}

/** The options of a verifier, the route, and what to do with an event. */
export interface WebhookPluginOptions extends WebhookHandlerOptions {
  /** Default: `/webhooks`. */
  path?: string | undefined
  /** Called with each verified event, before it is acknowledged. */
  onEvent: OnEvent
}

/** Fastify's default. The verifier refuses a body above a smaller `bodyMaxBytes` itself, and calls `onRefused`. */
const BODY_LIMIT_LEAST = 1_048_576

/**
 * A plugin for Fastify: one POST route that receives its body as bytes. The rest of the application does not
 * change.
 *
 * Answers 200 once `onEvent` has ended, and 400 if verification fails. Errors of `onEvent` go to Fastify, which
 * also answers 413 to a body over 1 MiB, or over `bodyMaxBytes` if that is more.
 *
 * @example
 * app.register(webhookPlugin, { path: '/webhooks', secrets: endpointSecret, onEvent: (event) => inbox.keep(event) })
 */
export async function webhookPlugin(
  scope: FastifyScope,
  { path = '/webhooks', onEvent, ...options }: WebhookPluginOptions,
): Promise<void> {
  const receive = createReceive(withoutFastifys(options), onEvent)
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  scope.post(path, { bodyLimit: bodyLimitOf(options) }, async ({ body, headers }, reply) => {
    // A request without a body is verified as one with an empty body.
    const status = await receive((verifier) => verifier.verify((body ?? '') as RawBody, headers))
    return reply.code(status).send()
  })
}

/** Fastify's own options of `register`, which it leaves among those of the plugin. */
interface RegisterOptions {
  readonly prefix?: unknown
  readonly logLevel?: unknown
  readonly logSerializers?: unknown
}

function withoutFastifys(options: WebhookHandlerOptions & RegisterOptions): WebhookHandlerOptions {
  const { prefix: _prefix, logLevel: _level, logSerializers: _serializers, ...own } = options
  return own
}

/** Fastify takes integers alone, so `Infinity` becomes the largest. */
const bodyLimitOf = ({ bodyMaxBytes = 0 }: WebhookHandlerOptions): number =>
  Math.min(Math.max(Math.ceil(bodyMaxBytes), BODY_LIMIT_LEAST), Number.MAX_SAFE_INTEGER)
