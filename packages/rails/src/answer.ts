import type { Answer, ExchangeFailure } from './exchange.ts'

export type JsonObject = Readonly<Record<string, unknown>>

/** docs/spec-gaps.md: texts of the rail are cut before they are stored. */
const MAX_RAIL_TEXT_CHARS = 500
const MAX_STATUS_CHARS = 64
/** docs/spec-gaps.md, load. The rails' own have less than 1 KiB. */
const MAX_CALLBACK_BYTES = 4 * 1024

export type RailAnswer =
  | { readonly kind: 'answer'; readonly status: number; readonly body: JsonObject | null }
  | ExchangeFailure

export const readAnswer = (end: Answer | ExchangeFailure): RailAnswer =>
  end.kind === 'answer' ? { ...end, body: end.body === null ? null : parseObject(end.body) } : end

/**
 * Parses the body of a callback. Numbers stay numbers: to read their digits costs forty times as much, and anybody can
 * send thousands of them.
 */
export const readCallback = (body: Uint8Array): JsonObject | null =>
  body.length <= MAX_CALLBACK_BYTES ? objectOf(body) : null

/** Parses a rail's answer. Anything but a JSON object yields null. */
export const parseObject = (body: Uint8Array): JsonObject | null => objectOf(body, numberAsText)

const decoder = new TextDecoder()

function objectOf(body: Uint8Array, reviver?: typeof numberAsText): JsonObject | null {
  // An accepted request has no body. The parser would throw, which costs more than the rest of this function.
  if (body.length === 0) return null
  try {
    const value: unknown = JSON.parse(decoder.decode(body), reviver)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null
  } catch {
    return null
  }
}

/** Keeps a number's digits as text: transaction ids exceed a double, and amounts come as text or number. */
const numberAsText = (_key: string, value: unknown, context?: { readonly source?: string }): unknown =>
  typeof value === 'number' ? (context?.source ?? String(value)) : value

export function railText(value: unknown): string | null {
  if (typeof value !== 'string') return null
  const text = value
    .replace(/\p{Cc}/gu, '')
    .trim()
    .slice(0, MAX_RAIL_TEXT_CHARS)
    .toWellFormed()
  return text === '' ? null : text
}

export function statusWord(body: JsonObject): string | null {
  if (typeof body.status !== 'string') return null
  const word = body.status
    .toUpperCase()
    .replace(/[^A-Z_]/g, '')
    .slice(0, MAX_STATUS_CHARS)
  return word === '' ? null : word
}
