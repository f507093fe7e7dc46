import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import * as sdk from '../src/index-node.ts'
import { type Answer, apiError, intent, rejection, startApi } from './api-server.ts'

const failWith = async (answer: Answer) => {
  const { client } = await startApi({ answers: [answer, answer] })
  return rejection(client({ maxRetries: 0 }).paymentIntents.retrieve(intent.id))
}

describe('an error of the API', () => {
  test('has all the data of the envelope', async () => {
    const error = await failWith({
      status: 400,
      headers: { 'request-id': 'req_9', 'compat-should-retry': 'false' },
      body: {
        error: {
          type: 'invalid_request_error',
          code: 'invalid_request',
          message: 'is required',
          param: 'a[b]',
        },
      },
    })
    expect(error).toBeInstanceOf(sdk.InvalidRequestError)
    expect(Object.fromEntries(Object.entries(error as object))).toEqual({
      name: 'InvalidRequestError',
      type: 'invalid_request_error',
      code: 'invalid_request',
      status: 400,
      param: 'a[b]',
      requestId: 'req_9',
      shouldRetry: false,
      headers: expect.objectContaining({ 'request-id': 'req_9', 'compat-should-retry': 'false' }),
      idempotencyKey: undefined,
    })
    expect(error).toHaveProperty('message', 'is required')
  })

  test.each<[number, string, string]>([
    [400, 'invalid_request', 'InvalidRequestError'],
    [401, 'authentication_error', 'AuthenticationError'],
    [403, 'forbidden', 'PermissionError'],
    [404, 'resource_missing', 'NotFoundError'],
    [404, 'unknown_route', 'NotFoundError'],
    [409, 'charge_terminal', 'ConflictError'],
    [418, 'some_later_code', 'ApiError'],
    [500, 'internal_error', 'ApiError'],
    [501, 'not_supported', 'NotSupportedError'],
    [502, 'provider_unavailable', 'ProviderUnavailableError'],
    [503, 'service_unavailable', 'ApiError'],
  ])('%d %s is a %s', async (status, code, name) => {
    const error = await failWith(apiError(status, code))
    expect(error).toMatchObject({ name, status, code, requestId: 'req_1', message: 'no luck' })
    expect(error).toBeInstanceOf(sdk.PaymentsError)
    expect(sdk.isPaymentsError(error)).toBe(true)
  })

  test('of type idempotency_error is an IdempotencyError', async () => {
    const body = {
      error: { type: 'idempotency_error', code: 'idempotency_key_in_use', message: 'another body' },
    }
    const error = await failWith({ status: 400, body })
    expect(error).toBeInstanceOf(sdk.IdempotencyError)
  })

  test('a bare 401 is also an AuthenticationError', async () => {
    const error = await failWith({ status: 401, body: '' })
    expect(error).toBeInstanceOf(sdk.AuthenticationError)
    expect(error).toMatchObject({ type: 'authentication_error', code: 'authentication_error', status: 401 })
  })
})

describe('an answer that is not the API', () => {
  test.each<[string, { status: number; body?: unknown }, number, RegExp]>([
    ['an empty 405', { status: 405 }, 405, /the path does not allow this method/],
    ['a text 413', { status: 413, body: 'too large' }, 413, /the request body is too large/],
    ['a page of a proxy', { status: 503, body: '<html>sorry</html>' }, 503, /not the API's JSON/],
    ['JSON without an envelope', { status: 404, body: { message: 'no Route' } }, 404, /not the API's JSON/],
    ['an error that is a text', { status: 500, body: { error: 'oops' } }, 500, /not the API's JSON/],
    ['an empty 200', { status: 200, body: '' }, 200, /not the API's JSON/],
    ['a list at the top', { status: 200, body: [] }, 200, /not the API's JSON/],
    ['a cut JSON', { status: 200, body: '{"id":' }, 200, /not the API's JSON/],
  ])('%s is a DecodeError with its status and request id', async (_what, answer, status, message) => {
    const headers = { 'request-id': 'req_5' }
    const error = await failWith({ headers, ...answer })
    expect(error).toBeInstanceOf(sdk.DecodeError)
    expect(error).toMatchObject({ type: 'decode_error', code: undefined, status, requestId: 'req_5' })
    expect(error).toHaveProperty('message', expect.stringMatching(message))
  })

  test('the client follows no redirect', async () => {
    const { client, requests } = await startApi({
      answers: [{ status: 302, headers: { location: '/v1/events' } }, { body: {} }],
    })
    const error = await rejection(client().paymentIntents.retrieve(intent.id))
    expect(error).toMatchObject({
      name: 'DecodeError',
      message: expect.stringMatching(/the client follows no redirects/),
    })
    expect(requests).toHaveLength(1)
  })
})

describe('an error', () => {
  test('holds no token, no assertion and no body', async () => {
    const secrets = ['token-1', 'token-2', 'Bearer', '237670000001', 'very-secret', 'client_assertion']
    const answers: Answer[] = [
      { status: 500, body: 'very-secret' },
      { status: 200, body: 'very-secret' },
      (response) => response.destroy(),
      { status: 401, body: 'very-secret' },
      { status: 401, body: 'very-secret' },
    ]
    const { client } = await startApi({ answers })
    const payments = client({ maxRetries: 0 })
    for (const _case of [1, 2, 3, 4]) {
      const data = { payment_method_data: { mtn_momo_cm: { msisdn: '237670000001' } } }
      const error = await rejection(payments.paymentIntents.confirm(intent.id, data))
      const everything = inspect(error, { depth: 10, showHidden: true, getters: true })
      expect(secrets.filter((secret) => everything.includes(secret))).toEqual([])
    }
  })

  test('is recognised across two copies of the package', () => {
    const foreign = Object.defineProperty(
      new Error('of another copy'),
      Symbol.for('merchant-payments.PaymentsError'),
      {
        value: true,
      },
    )
    expect(sdk.isPaymentsError(foreign)).toBe(true)
    expect([new Error('x'), undefined, null, 'x', {}].map(sdk.isPaymentsError)).toEqual([
      false,
      false,
      false,
      false,
      false,
    ])
  })
})
