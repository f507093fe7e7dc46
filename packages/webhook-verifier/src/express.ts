import type { RawBody } from '@merchant-payments/webhook-verifier'
import { createReceive, type OnEvent, type WebhookHandlerOptions } from './receive.ts'

export type { OnEvent, WebhookHandlerOptions } from './receive.ts'

/** The part of Express's request that this package uses. */
export interface ExpressRequest {
  /** The headers by name, as Node reads them. */
  readonly headers: Record<string, string | string[] | undefined>
  /** The raw body, if a parser such as express.raw() has read it. */
  readonly body?: unknown
  /** Whether anybody has read the stream of the body. */
  readonly readableDidRead?: boolean | undefined
  /** Returns the bytes of the body, and leaves the request open if the loop ends early. */
  iterator(options: {
    /** Whether the end of the loop closes the connection. */
    destroyOnReturn: boolean
  }): AsyncIterableIterator<Uint8Array>
  /** Discards the rest of the body. */
  resume(): unknown
}

/** The part of Express's response that this package uses. */
export interface ExpressResponse {
  /** The status of the answer. */
  statusCode: number
  /** Sends the answer. */
  end(): unknown
}

/** A handler as `app.post` takes it. */
export type ExpressHandler = (
  request: ExpressRequest,
  response: ExpressResponse,
  next: (error: unknown) => void,
) => void

/**
 * A handler for Express and Connect. It reads the raw body itself, or takes the one of express.raw(). It
 * refuses a body that express.json() has parsed with `body_not_raw`.
 *
 * Answers 200 once `onEvent` has ended, and 400 if verification fails. Errors of `onEvent` go to `next`.
 *
 * @example
 * app.post('/webhooks', createWebhookHandler({ secrets: endpointSecret }, (event) => inbox.keep(event)))
 */
export function createWebhookHandler(options: WebhookHandlerOptions, onEvent: OnEvent): ExpressHandler {
  const receive = createReceive(options, onEvent)
  return (request, response, next) => {
    receive((verifier) =>
      isUnread(request)
        ? verifier.verifyRequest(streamed(request))
        : verifier.verify(request.body as RawBody, request.headers),
    ).then((status) => {
      response.statusCode = status
      response.end()
      // An unread body would block the connection, and with it the next request of a proxy that reuses it.
      request.resume()
    }, next)
  }
}

/** The parsers of Express 4 leave an empty object in the place of a body that they do not read. */
const isUnread = ({ body, readableDidRead }: ExpressRequest): boolean =>
  body === undefined || (readableDidRead === false && Object.keys(body ?? {}).length === 0)

/**
 * Presents the request as a Fetch request. A body above the limit is discarded after the answer, so that the
 * answer still reaches the sender. Node's own `requestTimeout` ends a body that never ends.
 */
const streamed = (request: ExpressRequest) => ({
  headers: { get: (name: string) => [request.headers[name]].flat().join(',') },
  bodyUsed: false,
  body: {
    locked: false,
    [Symbol.asyncIterator]: () => request.iterator({ destroyOnReturn: false }),
  },
})
