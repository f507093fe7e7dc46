import { WebhookVerificationError } from './error.ts'

/** The part of Fetch's `Headers` that this package uses. */
export interface HeadersLike {
  /** Returns the value of a header, by its name in lower case; null if the request has none. */
  get(name: string): string | null
}

/** Fetch headers, the header object of Node, Express and Fastify, or the value of the signature header. */
export type WebhookHeaders = HeadersLike | HeaderObject | string

type HeaderObject = Record<string, string | string[] | undefined>

/** The signed timestamp as the header spells it, and the offered signatures: 64 hexadecimal digits each. */
export interface SignatureHeader {
  timestamp: string
  candidates: string[]
}

// The service sends one v1 per configured secret, at most two (spec 6.3.3). Each value costs an HMAC.
const V1_VALUES_MAX = 8

/** Reads `t=<unix seconds>,v1=<hex>` in one pass. Unknown schemes have no effect. */
export function parseSignatureHeader(value: string): SignatureHeader {
  const timestamps: string[] = []
  const signatures: string[] = []
  for (const part of value.split(',')) {
    const field = part.trim()
    if (field.startsWith('t=')) timestamps.push(field.slice(2))
    if (field.startsWith('v1=')) signatures.push(field.slice(3))
  }
  // Two are ambiguous, and joined they are no number.
  const timestamp = timestamps.join(',')
  if (signatures.length > V1_VALUES_MAX || !/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookVerificationError('malformed_header')
  }
  if (signatures.length === 0) throw new WebhookVerificationError('no_v1_signature')
  // Malformed values match nothing, and do not invalidate a good value beside them.
  return { timestamp, candidates: signatures.filter((hex) => /^[\da-f]{64}$/.test(hex)) }
}

export function findSignatureHeader(headers: WebhookHeaders, names: readonly string[]): string {
  if (typeof headers === 'string' && headers !== '') return headers
  for (const name of names) {
    const value = headerValue(headers, name)
    if (value !== '') return value
  }
  throw new WebhookVerificationError('missing_header')
}

function headerValue(headers: WebhookHeaders, name: string): string {
  if (typeof headers !== 'object' || headers === null) return ''
  const value = isHeadersLike(headers) ? headers.get(name) : valueOf(headers, name)
  if (typeof value === 'string') return value
  // A repeated header arrives as a list or already joined. Either way it contains two `t` and is refused as
  // ambiguous.
  return Array.isArray(value) ? value.filter((part) => typeof part === 'string').join(',') : ''
}

const isHeadersLike = (headers: HeadersLike | HeaderObject): headers is HeadersLike =>
  typeof headers.get === 'function'

/** Node spells names in lower case, so the first look-up finds them. Others may not. */
const valueOf = (headers: HeaderObject, name: string) =>
  headers[name] ?? Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
