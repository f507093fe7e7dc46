import type { TransportResponse } from './transport.ts'

/** Full jitter: up to 500 ms, then 1 s, 2 s, up to 8 s. */
const BACKOFF_BASE_MS = 500
const BACKOFF_CAP_MS = 8_000

/** A call waits no longer than this for a `Retry-After`. If an answer asks for more, the call fails at once. */
const RETRY_AFTER_MAX_MS = 30_000

/** Both come from an ingress: the service has no such answers (spec 7.2). */
const ingressStatuses: ReadonlySet<number> = new Set([408, 429])

/** These would be the same after a wait. */
const finalFaults: ReadonlySet<number> = new Set([501, 505])

/** Networks in front of the service have 5xx of their own, such as 520 to 530. */
const isTemporary = (status: number): boolean =>
  ingressStatuses.has(status) || (status >= 500 && status <= 599 && !finalFaults.has(status))

/** `compat-should-retry` decides (spec 7.2). Without it, for example in a proxy's answer, the status decides. */
export function isRetryable({ status, headers }: TransportResponse, code: string | undefined): boolean {
  const advice = headers['compat-should-retry']
  if (advice === 'true') return true
  if (advice === 'false') return false
  return isTemporary(status) || code === 'idempotency_key_in_flight'
}

/** Parses `Retry-After` (RFC 9110): seconds, or a date, which counts from the answer's own `Date`. */
export function retryAfterMsOf({ headers }: TransportResponse): number | undefined {
  const value = headers['retry-after']
  if (value === undefined) return undefined
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000
  // Date.parse would take almost any text with a number for a date.
  if (!/^[A-Z][a-z]+, /.test(value)) return undefined
  const waitMs = Date.parse(value) - Date.parse(headers['date'] ?? '')
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs)
}

interface Failure {
  readonly code: string | undefined
  readonly retryAfterMs: number | undefined
}

/** True unless the answer asks to wait for longer than a call waits. */
export const isSoon = ({ retryAfterMs }: Failure): boolean => (retryAfterMs ?? 0) <= RETRY_AFTER_MAX_MS

/** The wait before a retry in ms, on top of what the answer asks for. `retry` counts from 1. */
export function backoffMs(retry: number, { code, retryAfterMs = 0 }: Failure, random: () => number): number {
  const jitteredMs = retryAfterMs + random() * Math.min(BACKOFF_CAP_MS, BACKOFF_BASE_MS * 2 ** (retry - 1))
  // The first request still waits for the rail, so an immediate retry would only use up the retries.
  return code === 'idempotency_key_in_flight' ? Math.max(BACKOFF_BASE_MS, jitteredMs) : jitteredMs
}
