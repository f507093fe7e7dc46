import { describe, expect, test } from 'vitest'
import {
  ConflictError,
  ConnectionError,
  IdempotencyError,
  ProviderUnavailableError,
  RateLimitError,
} from '../src/index-node.ts'
import { type Answer, apiError, intent, rejection, startApi } from './api-server.ts'

const params = { amount: 5000, currency: 'XAF', payment_method_types: ['mtn_momo_cm'] } as const
const created: Answer = { status: 201, body: intent }
const reset: Answer = (response) => response.destroy()

/** As an HTTP/1.0 proxy sends it: the end of the connection ends the body. */
const cutOff: Answer = (response) =>
  void response.socket?.end(`HTTP/1.0 201 Created\r\n\r\n${JSON.stringify(intent).slice(0, 40)}`)

const inFlight: Answer = {
  status: 400,
  headers: { 'compat-should-retry': 'true' },
  body: { error: { type: 'idempotency_error', code: 'idempotency_key_in_flight', message: 'still running' } },
}

const keysOf = (requests: readonly { headers: Record<string, unknown> }[]) =>
  requests.map(({ headers }) => headers['idempotency-key'])

describe('retries', () => {
  test.each<[string, Answer, number[]]>([
    ['a reset connection', reset, [250, 500]],
    ['a 500', apiError(500, 'internal_error', 'true'), [250, 500]],
    ['a 502 of a rail', apiError(502, 'provider_unavailable', 'true'), [250, 500]],
    ['a 503', apiError(503, 'service_unavailable', 'true'), [250, 500]],
    ["a proxy's 502", { status: 502, body: '<html>' }, [250, 500]],
    ["a proxy's 503", { status: 503, body: '' }, [250, 500]],
    ["a proxy's 504", { status: 504, body: '' }, [250, 500]],
    ['a 522 of a network in front, which lost its way to the service', { status: 522, body: '' }, [250, 500]],
    ['a key in flight', inFlight, [500, 500]],
    ['a 409 with the advice to retry', apiError(409, 'charge_in_progress', 'true'), [250, 500]],
    ["an ingress's 408", { status: 408, body: '' }, [250, 500]],
    ['a 201 that is cut off', cutOff, [250, 500]],
    ['a 200 with the page of a proxy', { status: 200, body: '<html>' }, [250, 500]],
    ['an empty 200', { status: 200, body: '' }, [250, 500]],
    ["an ingress's 429", { status: 429, body: 'slow down' }, [250, 500]],
    ["an ingress's 429 with Retry-After", { status: 429, headers: { 'retry-after': '2' } }, [2250, 2500]],
    ["a proxy's 503 with Retry-After", { status: 503, headers: { 'retry-after': '1' } }, [1250, 1500]],
  ])('%s is retried with the same key until it succeeds', async (_what, answer, delays) => {
    const { client, requests, delaysMs } = await startApi({ answers: [answer, answer, created] })
    expect(await client().paymentIntents.create(params)).toEqual(intent)
    expect(requests).toHaveLength(3)
    expect(new Set(keysOf(requests)).size).toBe(1)
    expect(new Set(requests.map(({ body }) => body)).size).toBe(1)
    expect(delaysMs).toEqual(delays)
  })

  test.each<[string, Answer]>([
    ['a 400', apiError(400, 'invalid_request', 'false')],
    ['a 403', apiError(403, 'forbidden', 'false')],
    ['a 404', apiError(404, 'resource_missing')],
    ['a 405', { status: 405 }],
    ['a 409', apiError(409, 'charge_in_progress', 'false')],
    ['a 409 without advice', apiError(409, 'charge_in_progress')],
    ['a 413', { status: 413 }],
    ['a 429 that asks for a minute', { status: 429, headers: { 'retry-after': '60' } }],
    ['a 501', apiError(501, 'not_supported')],
    ['a 500 with the advice not to', apiError(500, 'internal_error', 'false')],
    ['a redirect', { status: 307, headers: { location: '/v1/events' } }],
    ['a 200 with the advice not to', { status: 200, headers: { 'compat-should-retry': 'false' }, body: '' }],
  ])('%s is not retried', async (_what, answer) => {
    const { client, requests } = await startApi({ answers: [answer, created] })
    await rejection(client().paymentIntents.create(params))
    expect(requests).toHaveLength(1)
  })

  test('maxRetries counts after the first attempt, and 0 means none', async () => {
    const answers = Array.from({ length: 10 }, () => apiError(502, 'provider_unavailable', 'true'))
    const { client, requests } = await startApi({ answers })
    await rejection(client().paymentIntents.create(params, { maxRetries: 0 }))
    expect(requests).toHaveLength(1)
    await rejection(client({ maxRetries: 0 }).paymentIntents.create(params))
    expect(requests).toHaveLength(2)
    await rejection(client({ maxRetries: 0 }).paymentIntents.create(params, { maxRetries: 1 }))
    expect(requests).toHaveLength(4)
    await rejection(client().paymentIntents.create(params))
    expect(requests).toHaveLength(7)
  })

  test('the error of the last attempt has the key to continue with', async () => {
    const rail = apiError(502, 'provider_unavailable', 'true')
    const { client, requests } = await startApi({ answers: [rail, rail, rail, reset] })
    const payments = client()
    const options = { idempotencyKey: 'order-42' }
    const error = await rejection(payments.paymentIntents.create(params, options))
    expect(error).toBeInstanceOf(ProviderUnavailableError)
    expect(error).toMatchObject({
      code: 'provider_unavailable',
      shouldRetry: true,
      idempotencyKey: 'order-42',
    })
    const lost = await rejection(payments.paymentIntents.create(params, { maxRetries: 0 }))
    expect(lost).toBeInstanceOf(ConnectionError)
    expect(lost).toMatchObject({ shouldRetry: true, idempotencyKey: keysOf(requests)[3], status: undefined })
  })

  test('a key still in flight after all retries is an IdempotencyError that may be retried later', async () => {
    const { client } = await startApi({ answers: [inFlight, inFlight, inFlight] })
    const error = await rejection(client().paymentIntents.create(params))
    expect(error).toBeInstanceOf(IdempotencyError)
    expect(error).toMatchObject({ code: 'idempotency_key_in_flight', shouldRetry: true })
  })

  test('a 429 is a RateLimitError with the time to wait and the key to continue with', async () => {
    const limited: Answer = { status: 429, headers: { 'retry-after': '60' }, body: '<html>' }
    const { client } = await startApi({ answers: [limited] })
    const error = await rejection(client().paymentIntents.create(params, { idempotencyKey: 'order-42' }))
    expect(error).toBeInstanceOf(RateLimitError)
    expect(error).toMatchObject({
      type: 'rate_limit_error',
      status: 429,
      retryAfterMs: 60_000,
      shouldRetry: true,
      idempotencyKey: 'order-42',
    })
  })

  test('a 408 is a TimeoutError with its status', async () => {
    const { client } = await startApi({ answers: [{ status: 408, body: '' }] })
    const error = await rejection(client().paymentIntents.create(params, { maxRetries: 0 }))
    expect(error).toMatchObject({
      name: 'TimeoutError',
      type: 'timeout_error',
      status: 408,
      shouldRetry: true,
    })
  })

  test('the answer to a retry is judged by itself', async () => {
    const answers = [reset, apiError(409, 'charge_in_progress', 'false')]
    const { client, requests } = await startApi({ answers })
    const data = { payment_method_data: { mtn_momo_cm: { msisdn: '237670000001' } } }
    const error = await rejection(client().paymentIntents.confirm(intent.id, data))
    expect(error).toBeInstanceOf(ConflictError)
    expect(requests).toHaveLength(2)
  })
})
