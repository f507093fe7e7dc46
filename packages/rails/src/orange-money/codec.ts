import { randomBytes } from 'node:crypto'
import { webAddress } from '@merchant-payments/contract'
import type { CallbackReference, ChargeAtRail, Locale } from '@merchant-payments/core'
import { type JsonObject, readCallback } from '../answer.ts'

/** The operator's limit on return_url, cancel_url and notif_url. */
export const URL_CHARS_MAX = 120

/** Thirty hex digits, the longest order_id. A UUID does not fit. */
const ORDER_ID_BYTES = 15

const orderId = /^[\da-f]{30}$/
const printable = /^[\x21-\x7e]+$/
/** The rail's tokens are opaque. The documented ones have 32 and 64 characters. */
const TOKEN_CHARS_MAX = 512
const PAGE_URL_CHARS_MAX = 2048

/** Never repeats, because the rail refuses an order_id that it has seen. */
export const mintOrderId = (): string => randomBytes(ORDER_ID_BYTES).toString('hex')

export interface Order {
  readonly merchantKey: string
  readonly currency: string
  readonly orderId: string
  readonly amount: number
  readonly returnUrl: string
  readonly notifUrl: string
  readonly lang: Locale
}

export const renderOrder = (order: Order): string =>
  JSON.stringify({
    merchant_key: order.merchantKey,
    currency: order.currency,
    order_id: order.orderId,
    amount: order.amount,
    return_url: order.returnUrl,
    // The place of the payer's return proves nothing. Both URLs lead to one page, which reads the intent.
    cancel_url: order.returnUrl,
    notif_url: order.notifUrl,
    lang: order.lang,
    // Shown with the payment. It is the name that the operator, the merchant and we share.
    reference: order.orderId,
  })

/** The body of a status query. The rail answers only if all three values are those of the web payment. */
export const renderStatusQuery = ({ reference, amountMinor }: ChargeAtRail, payToken: string): string =>
  JSON.stringify({ order_id: reference, amount: amountMinor, pay_token: payToken })

export interface PaymentPage {
  readonly payToken: string
  readonly notifToken: string
  readonly url: string
}

/**
 * Returns null if one of the three is missing. Then nothing was accepted: the payer could not pay, or we
 * could not query.
 */
export function readPage(body: JsonObject, plainAllowed: boolean): PaymentPage | null {
  const { pay_token: payToken, notif_token: notifToken, payment_url: url } = body
  if (!isOpaqueToken(payToken) || !isOpaqueToken(notifToken) || !isPageUrl(url, plainAllowed)) return null
  return { payToken, notifToken, url }
}

export function parseCallbackQuery(query: URLSearchParams): CallbackReference | null {
  const ref = query.get('ref')
  return ref !== null && orderId.test(ref) ? { by: 'reference', value: ref } : null
}

/** Reads the token that only the rail and we have. */
export function parseCallbackBody(body: Uint8Array): CallbackReference | null {
  const token = readCallback(body)?.notif_token
  const text = typeof token === 'number' ? String(token) : token
  return isOpaqueToken(text) ? { by: 'callback_secret', value: text } : null
}

const isOpaqueToken = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= TOKEN_CHARS_MAX && printable.test(value)

/** Browsers are sent to this URL: never to a script, and over plain http only by a rail that is itself called so. */
function isPageUrl(value: unknown, plainAllowed: boolean): value is string {
  if (typeof value !== 'string' || value.length > PAGE_URL_CHARS_MAX || !printable.test(value)) return false
  if (!webAddress.test(value)) return false
  const protocol = URL.parse(value)?.protocol
  return protocol === 'https:' || (plainAllowed && protocol === 'http:')
}
