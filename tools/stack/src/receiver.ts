import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from './clock.ts'
import { shopPages } from './shop-pages.ts'
import { createForward, type ForwardOptions, readUrl } from './forward.ts'

/** One POST, as `receivedUrl` renders it. */
export interface ReceivedWebhook {
  /** ISO 8601, when the whole body had arrived. */
  readonly received_at: string
  readonly headers: IncomingMessage['headers']
  /** As received, because the signature covers these bytes. */
  readonly body: string
  /** Set only if the bytes are not UTF-8, so `body` does not represent all of them. */
  readonly body_base64?: string
}

/** How one delivery is answered. Default: 200 at once. */
interface ReceiverBehaviour {
  readonly status?: number
  readonly delayMs?: number
  readonly echo?: true
  readonly hang?: true
}

export interface WebhookReceiver {
  readonly url: string
  readonly receivedUrl: string
  received(): readonly ReceivedWebhook[]
  /**
   * Sets one answer for each of the next deliveries, and `afterwards` for all later ones. Replaces an earlier
   * program.
   */
  program(next: readonly ReceiverBehaviour[], afterwards?: ReceiverBehaviour): void
  clear(): void
  /** Sends each further webhook on to this address too, and answers as it does. Null: no longer. */
  forwardTo(url: string | null): void
  stop(): Promise<void>
}

interface ReceiverOptions extends ForwardOptions {
  readonly port: number
  readonly endpointId: string
  readonly clock: Clock
  readonly onReceived?: ((webhook: ReceivedWebhook) => void) | undefined
}

export const RECEIVED_MAX = 1_000
const BODY_BYTES_MAX = 256 * 1024
const ROUTES = 'POST /webhooks/<endpoint>, GET /received, GET or PUT /forward'

/** A merchant's endpoint for development and tests. It records webhooks, and answers as programmed. */
export async function startReceiver(options: ReceiverOptions): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = []
  let behaviours: ReceiverBehaviour[] = []
  let otherwise: ReceiverBehaviour = {}
  const forward = createForward(options)

  const server = createServer((request, response) => {
    const { method, url = '/' } = request
    const page = method === 'GET' ? shopPages.get(url) : undefined
    if (page !== undefined) sendPage(response, page)
    else if (method === 'GET' && url === '/received') sendJson(response, 200, { data: received })
    else if (method === 'GET' && url === '/forward') sendJson(response, 200, { url: forward.url() })
    else if (method === 'PUT' && url === '/forward') void redirect(request, response)
    else if (method === 'POST' && url.startsWith('/webhooks/')) void take(request, response)
    else sendJson(response, 404, { error: { message: ROUTES } })
  })

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request)
    if (body === null) return sendJson(response, 413, { error: { message: 'the body is too large' } })
    const webhook = {
      received_at: new Date(options.clock()).toISOString(),
      headers: request.headers,
      ...textOf(body),
    }
    received.push(webhook)
    if (received.length > RECEIVED_MAX) received.shift()
    options.onReceived?.(webhook)
    const answered = await forward.send(body, request.headers)
    if (answered !== null) return sendJson(response, answered, {})
    const { status = 200, delayMs = 0, hang = false, echo = false } = behaviours.shift() ?? otherwise
    if (hang) return
    await delay(delayMs, undefined, { ref: false })
    if (echo) response.writeHead(status).end(body)
    else sendJson(response, status, {})
  }

  async function redirect(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const wanted = readUrl(await readBody(request))
    if (wanted === undefined) {
      return sendJson(response, 400, { error: { message: 'send {"url": "http://…"} or {"url": null}' } })
    }
    forward.to(wanted)
    sendJson(response, 200, { url: wanted })
  }

  server.listen(options.port, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${options.port}`
  return {
    url: `${origin}/webhooks/${options.endpointId}`,
    receivedUrl: `${origin}/received`,
    received: () => received,
    program: (next, afterwards = {}) => {
      behaviours = [...next]
      otherwise = afterwards
    },
    clear: () => {
      received.length = 0
    },
    forwardTo: forward.to,
    stop: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** Returns null for a body that is too large. A sender that disconnects midway has sent nothing. */
async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size <= BODY_BYTES_MAX) chunks.push(chunk)
    }
  } catch {
    return null
  }
  return size <= BODY_BYTES_MAX ? Buffer.concat(chunks) : null
}

function textOf(bytes: Buffer): Pick<ReceivedWebhook, 'body' | 'body_base64'> {
  const body = bytes.toString()
  return Buffer.from(body).equals(bytes) ? { body } : { body, body_base64: bytes.toString('base64') }
}

function sendPage(response: ServerResponse, page: string): void {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page)
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
