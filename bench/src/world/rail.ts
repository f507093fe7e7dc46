import { type IncomingMessage, request as openRequest, type ServerResponse } from 'node:http'
import type { Movement } from '@merchant-payments/testing/invariants'

interface Payment {
  readonly wire: { readonly amount: string; readonly currency: string; readonly externalId: string }
  status: 'PENDING' | 'SUCCESSFUL'
}

/** More than any run of this benchmark makes. */
const PAYMENTS_MAX = 500_000
const TOKEN = JSON.stringify({ access_token: 'bench', token_type: 'access_token', expires_in: 3600 })

/**
 * The part of MTN MoMo's wire protocol that an approved payment and a refund need. It does not validate
 * requests; tools/mock-rails does that.
 */
export function createRail(decideAfterMs: number) {
  const payments = new Map<string, Payment>()
  const debits: Movement[] = []
  const credits: Movement[] = []

  function submit(request: IncomingMessage, body: string): number {
    const reference = String(request.headers['x-reference-id'])
    if (payments.has(reference)) return 409
    if (payments.size >= PAYMENTS_MAX) return 503
    const wire = JSON.parse(body) as Payment['wire']
    const payment: Payment = { wire, status: 'PENDING' }
    payments.set(reference, payment)
    const decide = () => {
      payment.status = 'SUCCESSFUL'
      const moved = request.url?.includes('/disbursement/') === true ? credits : debits
      moved.push({ reference, amount: wire.amount })
    }
    const callbackUrl = request.headers['x-callback-url']
    if (typeof callbackUrl !== 'string') decide()
    else {
      setTimeout(() => {
        decide()
        callBack(callbackUrl)
      }, decideAfterMs)
    }
    return 202
  }

  function answer(request: IncomingMessage, body: string, response: ServerResponse): void {
    const { method, url = '' } = request
    const reference = url.slice(url.lastIndexOf('/') + 1)
    if (url.endsWith('/token/')) sendJson(response, 200, TOKEN)
    else if (method === 'POST') sendJson(response, submit(request, body), '')
    else {
      const payment = payments.get(reference)
      if (payment === undefined) sendJson(response, 404, '{"code":"RESOURCE_NOT_FOUND"}')
      else sendJson(response, 200, JSON.stringify(statusOf(payment)))
    }
  }

  return { answer, debits: (): readonly Movement[] => debits, credits: (): readonly Movement[] => credits }
}

const statusOf = ({ wire, status }: Payment) => ({
  financialTransactionId: status === 'SUCCESSFUL' ? '1' : undefined,
  externalId: wire.externalId,
  amount: wire.amount,
  currency: wire.currency,
  status,
})

/** Sent once, without regard for the answer: the worker queries the charge anyway. */
function callBack(url: string): void {
  openRequest(url, { method: 'PUT', headers: { 'content-length': 0 } }, (response) => response.resume())
    .on('error', () => undefined)
    .end()
}

function sendJson(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}
