import type { TransportResponse } from './transport.ts'

/** Full jitter: up to 500 ms, then 1 s, 2 s, up to 8 s. */
const BACKOFF_BASE_MS = 500
const BACKOFF_CAP_MS = 8_000

const retryableStatuses: ReadonlySet<number> = new Set([500, 502, 503, 504])

/** `compat-should-retry` decides (spec 7.2). Without it, for example in a proxy's answer, the status decides. */
export function isRetryable({ status, headers }: TransportResponse, code: string | undefined): boolean {
  const advice = headers['compat-should-retry']
  if (advice === 'true') return true
  if (advice === 'false') return false
  return retryableStatuses.has(status) || code === 'idempotency_key_in_flight'
}

/** The wait before a retry in ms. `retry` counts from 1. */
export function backoffMs(retry: number, code: string | undefined, random: () => number): number {
  const jitteredMs = random() * Math.min(BACKOFF_CAP_MS, BACKOFF_BASE_MS * 2 ** (retry - 1))
  // The first request still waits for the rail, so an immediate retry would only use up the retries.
  return code === 'idempotency_key_in_flight' ? Math.max(BACKOFF_BASE_MS, jitteredMs) : jitteredMs
}
