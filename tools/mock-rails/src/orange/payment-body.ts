import { isIP } from 'node:net'
import { z } from 'zod'
import type { Checked } from '../wire/answer.ts'
import { parseJson } from '../wire/parse-json.ts'
import { missingFields } from './access.ts'
import type { JsonObject } from './access.ts'
import { describedError } from './answers.ts'

const MAX_ID_LENGTH = 30
const MAX_URL_LENGTH = 120

const amount = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER)

function webPaymentSchema(isUrl: (text: string) => boolean) {
  const url = z.string().max(MAX_URL_LENGTH).refine(isUrl, 'not a URL that Orange takes')
  return z.object({
    merchant_key: z.string(),
    currency: z.string(),
    order_id: z.string().max(MAX_ID_LENGTH),
    amount,
    return_url: url,
    cancel_url: url,
    notif_url: url,
    lang: z.enum(['fr', 'en']),
    reference: z.string().max(MAX_ID_LENGTH),
  })
}

const webPayment = {
  relaxed: webPaymentSchema((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? '')),
  strict: webPaymentSchema(isPublicUrl),
}

const WEB_PAYMENT_FIELDS = Object.keys(webPayment.relaxed.shape)

export type WebPaymentBody = z.output<typeof webPayment.relaxed>

export function parseWebPayment(body: JsonObject, isStrict: boolean): Checked<WebPaymentBody> {
  const missing = missingFields(body, WEB_PAYMENT_FIELDS, 'WebPaymentInfo')
  if (missing !== undefined) return { refusal: missing }
  return check(isStrict ? webPayment.strict : webPayment.relaxed, body)
}

const statusQuestion = z.object({ order_id: z.string(), amount, pay_token: z.string() })

export type StatusQuestion = z.output<typeof statusQuestion>

export function parseStatusQuestion(body: JsonObject): Checked<StatusQuestion> {
  const missing = missingFields(body, Object.keys(statusQuestion.shape), 'GetTransactionStatusInfo')
  if (missing !== undefined) return { refusal: missing }
  return check(statusQuestion, body)
}

function check<T>(schema: z.ZodType<T>, body: JsonObject): Checked<T> {
  const parsed = schema.safeParse(body)
  if (parsed.success) return { ok: parsed.data }
  const [issue] = parsed.error.issues
  const { path = [], message = 'not valid' } = issue ?? {}
  return { refusal: describedError('INVALID_FIELD', `${path.join('.')}: ${message}`) }
}

// Orange refuses plain http, IP addresses and localhost.
function isPublicUrl(text: string): boolean {
  const url = URL.parse(text)
  if (url?.protocol !== 'https:') return false
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return isIP(host) === 0 && !/(^|\.)localhost\.?$/.test(host)
}

/** For the call log: the order's id, and the body without its one credential. */
export function readBody(text: string): { reference: string | null; shown: string } {
  const { order_id: orderId, merchant_key: key } = (parseJson(text) ?? {}) as JsonObject
  const isKeyed = typeof key === 'string' && key !== ''
  return {
    reference: typeof orderId === 'string' ? orderId : null,
    shown: isKeyed ? text.replaceAll(JSON.stringify(key), '"***"') : text,
  }
}
