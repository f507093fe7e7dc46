import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  sessionOf,
  START_MS,
  type BrowserIntent,
  type BrowserSession,
} from '@merchant-payments/checkout-web/wire'
import { sendPage } from './static-page.ts'

/** A scripted payment: its state, and what its payer sent. */
export interface ScriptedPayment {
  readonly link: string
  readonly secret: string
  session: BrowserSession
  /** The intent's change at each confirm, or the status to answer. The last one repeats. */
  confirms: (Partial<BrowserIntent> | { status: number; param?: string })[]
  /** The status of reads; 0 cuts the connection. */
  readFault: number | null
  /** How far the API's clock has advanced. */
  aheadMs: number
}

export interface ScriptedApi {
  readonly origin: string
  readonly open: (change?: Partial<BrowserSession>) => ScriptedPayment
  readonly stop: () => Promise<void>
}

/**
 * Serves the page and a scripted API on one port, for screens that a real payment reaches by chance or after
 * minutes. Its clock stands still, so the screens always look the same.
 */
export async function startScriptedApi(): Promise<ScriptedApi> {
  const payments = new Map<string, ScriptedPayment>()
  const server = createServer(answer)

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? ''
    response.sendDate = false
    if (path.startsWith('/c/')) return sendPage(path, response)
    const payment = payments.get(String(request.headers['client-secret']))
    if (payment === undefined) return sendError(response, 404, 'resource_missing')
    response.setHeader('date', new Date(START_MS + payment.aheadMs).toUTCString())
    if (request.method === 'POST') return confirm(payment, response)
    if (payment.readFault === 0) return void request.socket.destroy()
    if (payment.readFault !== null) return sendError(response, payment.readFault, 'internal_error')
    sendJson(response, 200, path.includes('/sessions/') ? payment.session : payment.session.payment_intent)
  }

  function confirm(payment: ScriptedPayment, response: ServerResponse): void {
    const next = payment.confirms.length > 1 ? payment.confirms.shift() : payment.confirms[0]
    if (next === undefined) return void response.socket?.destroy()
    if (typeof next.status === 'number') {
      const { status, param } = next
      return sendError(response, status, 'invalid_request', param)
    }
    change(payment, next)
    sendJson(response, 200, payment.session.payment_intent)
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    open: (changes = {}) => {
      const hex = randomBytes(16).toString('hex')
      const id = `cs_${hex}`
      const secret = `${id}_secret_${randomBytes(32).toString('base64url')}.pk_test_scripted`
      const base = sessionOf(changes)
      const session = { ...base, id, payment_intent: { ...base.payment_intent, id: `pi_${hex}` } }
      const payment: ScriptedPayment = {
        link: `${origin}/c/${id}#${secret}`,
        secret,
        session,
        confirms: [],
        readFault: null,
        aheadMs: 0,
      }
      payments.set(secret, payment)
      return payment
    },
    stop: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

export function change(payment: ScriptedPayment, intent: Partial<BrowserIntent>): void {
  payment.session = { ...payment.session, payment_intent: { ...payment.session.payment_intent, ...intent } }
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body))
}

const sendError = (response: ServerResponse, status: number, code: string, param?: string): void =>
  sendJson(response, status, { error: { type: 'invalid_request_error', code, message: '-', param } })
