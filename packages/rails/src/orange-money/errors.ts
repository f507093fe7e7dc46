import type { Decline, QueryOutcome } from '@merchant-payments/core'
import { type JsonObject, railText, statusWord } from '../answer.ts'
import { type PaymentPage, readPage } from './codec.ts'

export type SubmitVerdict =
  | { readonly kind: 'accepted'; readonly page: PaymentPage }
  | { readonly kind: 'declined'; readonly decline: Decline }
  /** unknown is harmless: a page may exist, but nobody got its address. */
  | { readonly kind: 'not_sent' | 'unknown' }

/** Refusals of the request itself: our key, our fields, our subscription, our path. */
const refusals = new Set([400, 403, 404])

export function judgeSubmit(status: number, body: JsonObject | null, plainAllowed: boolean): SubmitVerdict {
  if (status === 201) {
    const page = body === null ? null : readPage(body, plainAllowed)
    return page === null ? { kind: 'unknown' } : { kind: 'accepted', page }
  }
  if (status === 401 || status === 429) return { kind: 'not_sent' }
  const words = wordsOf(body)
  if (status === 403 && /quota|rate limit|too many/i.test(words)) return { kind: 'not_sent' }
  // Only we use this order_id, so a known one is our own request whose answer was lost.
  if (/order[ _]?id/i.test(words) && /already|duplicate|exist/i.test(words)) return { kind: 'unknown' }
  return refusals.has(status) ? { kind: 'declined', decline: misconfigured(body) } : { kind: 'unknown' }
}

/** Returns null if the answer says nothing about the charge. */
export function judgeQuery(status: number, body: JsonObject | null, orderId: string): QueryOutcome | null {
  if (status < 200 || status > 299 || body === null) return null
  if (typeof body.order_id === 'string' && body.order_id !== orderId) return null
  switch (body.status) {
    // INITIATED waits for the payer's number and code; PENDING is in progress at the rail.
    case 'INITIATED':
    case 'PENDING':
      return { kind: 'pending' }
    case 'SUCCESS':
      // The rail reports no amount. It compared it with the one of the query.
      return { kind: 'succeeded', railTxnId: railText(body.txnid), amountMinor: null, currency: null }
    case 'FAILED':
      return failed('declined', 'rail', 'FAILED')
    case 'EXPIRED':
      return failed('redirect_expired', 'payer', 'EXPIRED')
    default: {
      const word = statusWord(body)
      return word === null ? null : { kind: 'unknown_status', status: word }
    }
  }
}

/** The operator publishes no reason for either. */
const failed = (code: Decline['code'], actor: Decline['actor'], railCode: string): QueryOutcome => ({
  kind: 'failed',
  decline: { code, actor, railCode, railMessage: null },
})

const misconfigured = (body: JsonObject | null): Decline => ({
  code: 'rail_misconfigured',
  actor: 'merchant_config',
  railCode: railText(body?.code),
  railMessage: railText(body?.message),
})

const wordsOf = (body: JsonObject | null): string =>
  [body?.message, body?.description].filter((text) => typeof text === 'string').join(' ')
