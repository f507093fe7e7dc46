import { DEFAULT_SETTINGS } from '../src/index.ts'
import type { MockRails } from '../src/index.ts'
import { basic, call } from './mtn-client.ts'
import type { Answer, WireHeaders } from './mtn-client.ts'

export const { orange: ORANGE } = DEFAULT_SETTINGS

export const TOKEN_PATH = '/oauth/v3/token'

export type Environment = 'dev' | 'cm'

export const pathOf = (operation: 'webpayment' | 'transactionstatus', environment: Environment = 'cm') =>
  `/orange-money-webpay/${environment}/v1/${operation}`

export async function askToken(rails: MockRails, headers: WireHeaders = {}, body?: string): Promise<Answer> {
  const given = {
    authorization: basic(ORANGE.clientId, ORANGE.clientSecret),
    'content-type': 'application/x-www-form-urlencoded',
    ...headers,
  }
  return call(rails.wireUrl, 'POST', TOKEN_PATH, given, body ?? 'grant_type=client_credentials')
}

export async function access(rails: MockRails): Promise<WireHeaders> {
  const { body } = await askToken(rails)
  const { access_token: token } = body as { access_token: string }
  return { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
}

type Request = {
  headers?: WireHeaders
  body?: Record<string, unknown>
  text?: string
  environment?: Environment
  signal?: AbortSignal
}

export type Paid = Answer & {
  orderId: string
  amount: number
  payToken: string
  notifToken: string
  url: string
}

let orders = 0
export const newOrderId = () => `order-${++orders}`

export function webPayment(body: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    merchant_key: ORANGE.merchantKey,
    currency: 'XAF',
    order_id: newOrderId(),
    amount: 1000,
    return_url: 'http://127.0.0.1:9/return?s=1',
    cancel_url: 'http://127.0.0.1:9/cancel',
    notif_url: 'http://127.0.0.1:9/notify',
    lang: 'fr',
    reference: 'Shop',
    ...body,
  }
}

/** Opens a payment. Tokens are empty if the answer has none. */
export async function open(rails: MockRails, request: Request = {}): Promise<Paid> {
  const { environment, text, signal } = request
  const body = webPayment(request.body)
  const headers = { ...(await access(rails)), ...request.headers }
  const path = pathOf('webpayment', environment)
  const answer = await call(rails.wireUrl, 'POST', path, headers, text ?? JSON.stringify(body), signal)
  const {
    pay_token: payToken = '',
    notif_token: notifToken = '',
    payment_url: url = '',
  } = answer.body as Record<string, string>
  return {
    ...answer,
    orderId: String(body['order_id']),
    amount: Number(body['amount']),
    payToken,
    notifToken,
    url,
  }
}

export async function ask(
  rails: MockRails,
  payment: Pick<Paid, 'orderId' | 'amount' | 'payToken'>,
  { headers, body, text, environment, signal }: Request = {},
): Promise<Answer> {
  const { orderId, amount, payToken } = payment
  const question = { order_id: orderId, amount, pay_token: payToken, ...body }
  const given = { ...(await access(rails)), ...headers }
  const path = pathOf('transactionstatus', environment)
  return call(rails.wireUrl, 'POST', path, given, text ?? JSON.stringify(question), signal)
}

export async function stateOf(rails: MockRails, payment: Paid): Promise<unknown> {
  const { status, body } = await ask(rails, payment)
  return status === 201 ? (body as { status: string }).status : status
}

export type Page = { status: number; location: string | null; html: string; headers: Headers }

/** Requests the payer's page as a browser does, without following redirects. */
export async function visit(url: string, form?: Record<string, string>): Promise<Page> {
  const request = form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }
  const response = await fetch(url, { ...request, redirect: 'manual' })
  const { status, headers } = response
  return { status, location: headers.get('location'), html: await response.text(), headers }
}

export const payWith = (url: string, suffix: string) =>
  visit(url, { msisdn: `6 90 00 0${suffix.slice(0, 1)} ${suffix.slice(1)}`, otp: '1234', decision: 'pay' })

/** The error envelope of every operation except the token's. */
export const refused = (status: number, code: number, message: string, description: unknown) => ({
  status,
  body: { code, message, description },
})

export const invalidField = (description: unknown) => refused(400, 24, 'Invalid body field', description)

export const notFound = refused(
  404,
  60,
  'Resource not found',
  'The requested URI or the requested resource does not exist.',
)
