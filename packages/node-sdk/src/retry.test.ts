import { describe, expect, test } from 'vitest'
import { backoffMs, isRetryable, isSoon, retryAfterMsOf } from './retry.ts'

const answer = (status: number, advice?: string) => ({
  status,
  headers: advice === undefined ? {} : { 'compat-should-retry': advice },
  body: '',
})

describe('isRetryable', () => {
  test.each([408, 429, 500, 502, 503, 504, 507, 520, 524, 530])('retries %d without the header', (status) => {
    expect(isRetryable(answer(status), undefined)).toBe(true)
  })

  test.each([302, 400, 401, 403, 404, 405, 409, 413, 501, 505])(
    'does not retry %d without the header',
    (status) => {
      expect(isRetryable(answer(status), undefined)).toBe(false)
    },
  )

  test('retries a key in flight even if a proxy dropped the header', () => {
    expect(isRetryable(answer(400), 'idempotency_key_in_flight')).toBe(true)
  })

  test.each([
    [400, 'true', true],
    [409, 'true', true],
    [500, 'false', false],
    [503, 'false', false],
    [400, 'maybe', false],
    [502, 'maybe', true],
  ])('the header overrides the status: %d with %s', (status, advice, expected) => {
    expect(isRetryable(answer(status, advice), undefined)).toBe(expected)
  })

  test('a false header overrides the code', () => {
    expect(isRetryable(answer(400, 'false'), 'idempotency_key_in_flight')).toBe(false)
  })
})

describe('backoffMs', () => {
  const waits = (random: number, code?: string) =>
    [1, 2, 3, 4, 5, 6, 10].map((retry) => backoffMs(retry, { code, retryAfterMs: undefined }, () => random))

  test('is at most 500 ms, doubling up to 8 s', () => {
    expect(waits(1)).toEqual([500, 1000, 2000, 4000, 8000, 8000, 8000])
  })

  test('is spread over the whole range, so that clients do not retry together', () => {
    expect(waits(0)).toEqual([0, 0, 0, 0, 0, 0, 0])
    expect(waits(0.5)).toEqual([250, 500, 1000, 2000, 4000, 4000, 4000])
  })

  test('is at least 500 ms while the first request is in flight', () => {
    expect(waits(0.5, 'idempotency_key_in_flight')).toEqual([500, 500, 1000, 2000, 4000, 4000, 4000])
  })

  test('comes on top of the time that the answer asks for', () => {
    expect(backoffMs(1, { code: undefined, retryAfterMs: 3_000 }, () => 0.5)).toBe(3_250)
  })
})

describe('Retry-After', () => {
  const date = 'Mon, 23 Nov 2026 10:00:00 GMT'
  test.each<[string, Record<string, string>, number | undefined]>([
    ['seconds', { 'retry-after': '3' }, 3_000],
    ['no seconds', { 'retry-after': '0' }, 0],
    ['a date', { 'retry-after': 'Mon, 23 Nov 2026 10:00:07 GMT', date }, 7_000],
    ['a past date', { 'retry-after': 'Mon, 23 Nov 2026 09:00:00 GMT', date }, 0],
    ['a date without the clock that it counts from', { 'retry-after': date }, undefined],
    ['a word', { 'retry-after': 'soon', date }, undefined],
    ['a negative number', { 'retry-after': '-1', date }, undefined],
    ['nothing', {}, undefined],
  ])('as %s', (_form, headers, expected) => {
    const waitMs = retryAfterMsOf({ status: 429, headers, body: '' })
    expect(waitMs).toBe(expected)
  })

  test.each([
    [undefined, true],
    [30_000, true],
    [30_001, false],
  ])('of %s ms is waited for: %s', (retryAfterMs, expected) => {
    expect(isSoon({ code: undefined, retryAfterMs })).toBe(expected)
  })
})
