import { generateKeyPairSync, sign } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '@merchant-payments/testing/listen'
import { describe, expect, test } from 'vitest'
import {
  AbortError,
  createTokenSource,
  isPaymentsError,
  OAuthError,
  type PaymentsError,
  TransportError,
} from '../src/index-node.ts'
import { type Answer, apiError, intent, privateKey, rejection, startApi } from './api-server.ts'

const refund = { payment_intent: intent.id, destination: { mtn_momo_cm: { msisdn: '237670000001' } } }
const reset: Answer = (response) => response.destroy()
const refused = apiError(401, 'authentication_error', 'false')
const granted: Answer = { body: { access_token: 'token-1', token_type: 'Bearer', expires_in: 900 } }
const unavailable: Answer = { status: 503, body: '' }
const unknownClient: Answer = { status: 401, body: { error: 'invalid_client' } }

/** A refund that the service may have made: its answer is lost, its retry meets a 401, and no token is to be had. */
async function losing(tokenAnswer: Answer, idempotencyKey?: string) {
  const lost = [granted, tokenAnswer, tokenAnswer, tokenAnswer]
  const made: Answer = { status: 201, body: { id: 're_1', object: 'refund' } }
  const { client, requests } = await startApi({ answers: [reset, refused, made], tokenAnswers: lost })
  const payments = client()
  const error = await rejection(payments.refunds.create(refund, { idempotencyKey }))
  return { payments, requests, error: error as PaymentsError }
}

const sentKeys = (requests: readonly { headers: Record<string, unknown> }[]) =>
  requests.map(({ headers }) => headers['idempotency-key'])

describe('a call that fails for its token has the key to continue with, for the call may have been made', () => {
  test.each<[string, Answer, boolean]>([
    ['an unavailable token endpoint', unavailable, true],
    ['a lost token request', reset, true],
    ['a refused client', unknownClient, false],
  ])('after %s', async (_what, tokenAnswer, shouldRetry) => {
    const { error, requests } = await losing(tokenAnswer)
    expect(isPaymentsError(error)).toBe(true)
    expect(error.shouldRetry).toBe(shouldRetry)
    expect(error.idempotencyKey).toMatch(/^[0-9a-f-]{36}$/)
    expect(sentKeys(requests)).toEqual([error.idempotencyKey, error.idempotencyKey])
  })

  test('and the second call continues the first', async () => {
    const { error, payments, requests } = await losing(unavailable, 'refund-42')
    expect(error.idempotencyKey).toBe('refund-42')
    await payments.refunds.create(refund, { idempotencyKey: error.idempotencyKey })
    expect(new Set(sentKeys(requests))).toEqual(new Set(['refund-42']))
    expect(requests).toHaveLength(3)
  })
})

test('calls that share a failed token request each have their own key', async () => {
  const tokenAnswers = [unknownClient]
  const { client } = await startApi({ tokenAnswers })
  const payments = client()
  const errors = await Promise.all(
    ['refund-1', 'refund-2'].map((idempotencyKey) =>
      rejection(payments.refunds.create(refund, { idempotencyKey })),
    ),
  )
  expect(errors.map((error) => (error as PaymentsError).idempotencyKey)).toEqual(['refund-1', 'refund-2'])
  for (const error of errors) {
    expect(error).toBeInstanceOf(OAuthError)
    expect(error).toMatchObject({
      code: 'invalid_client',
      hints: expect.arrayContaining([expect.any(String)]),
    })
  }
})

test('a clock that throws fails a call with an error that has the key of the call', async () => {
  const cause = new RangeError('the clock has stopped')
  const { client } = await startApi()
  const clock = () => {
    throw cause
  }
  const error = await rejection(client({ clock }).refunds.create(refund, { idempotencyKey: 'refund-42' }))
  expect(error).toBeInstanceOf(TransportError)
  expect(error).toMatchObject({ idempotencyKey: 'refund-42', shouldRetry: false, cause })
})

test('a key service that fails to sign is asked again, and its error has the key of the call', async () => {
  const cause = new Error('the key service is away')
  let signatures = 0
  const privateKey = () => {
    signatures += 1
    return Promise.reject(cause)
  }
  const { client } = await startApi()
  const error = await rejection(
    client({ privateKey, maxRetries: 1 }).refunds.create(refund, { idempotencyKey: 'refund-42' }),
  )
  expect(error).toBeInstanceOf(OAuthError)
  expect(error).toMatchObject({ idempotencyKey: 'refund-42', shouldRetry: true, cause })
  expect(signatures).toBe(2)
})

describe('a key service that is reached by fetch', () => {
  /** Its first signatures fail as `fetch` does without a connection. */
  async function keyServiceFailing(times: number) {
    const address = `http://127.0.0.1:${await freePort()}`
    const asked = { count: 0 }
    const signing = async (input: Uint8Array) => {
      asked.count += 1
      if (asked.count <= times) await fetch(address)
      return sign('sha256', input, privateKey)
    }
    return { signing, asked }
  }

  test('is asked again after a lost connection', async () => {
    const { signing, asked } = await keyServiceFailing(1)
    const { client } = await startApi({ answers: [{ body: intent }] })
    const payments = client({ privateKey: signing })
    expect(await payments.paymentIntents.retrieve(intent.id)).toEqual(intent)
    expect(asked.count).toBe(2)
  })

  test('is asked no more often than the retries of the call', async () => {
    const { signing, asked } = await keyServiceFailing(9)
    const { client } = await startApi()
    const error = await rejection(
      client({ privateKey: signing, maxRetries: 2 }).paymentIntents.retrieve(intent.id),
    )
    expect(error).toBeInstanceOf(OAuthError)
    expect(error).toMatchObject({
      message: 'The client assertion could not be signed: see cause.',
      shouldRetry: true,
      cause: { message: 'fetch failed' },
    })
    expect(asked.count).toBe(3)
  })
})

describe('a key of a wrong kind is reported at once', () => {
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const unreal = { type: 'private', algorithm: { name: 'RSASSA-PKCS1-v1_5', hash: { name: 'SHA-256' } } }
  test.each([
    [
      'in valid PEM',
      String(ec.privateKey.export({ type: 'pkcs8', format: 'pem' })),
      /^privateKey must be an RSA/,
    ],
    ['of no CryptoKey', { ...unreal, usages: ['sign'] }, /CryptoKey/],
    [
      'in a function that signs',
      async (input: Uint8Array) => sign('sha256', input, ec.publicKey),
      /key object type/,
    ],
  ])('%s', async (_how, key, message) => {
    const { client, delaysMs, tokenRequests } = await startApi()
    const error = await rejection(client({ privateKey: key }).paymentIntents.retrieve(intent.id))
    expect(error).toBeInstanceOf(OAuthError)
    expect(error).toMatchObject({ message: expect.stringMatching(message), shouldRetry: false })
    expect([delaysMs, tokenRequests]).toEqual([[], []])
  })
})

test('an aborted call has the key that it sent', async () => {
  const controller = new AbortController()
  const { client } = await startApi({ answers: [() => controller.abort()] })
  const options = { idempotencyKey: 'refund-42', signal: controller.signal }
  const error = await rejection(client().refunds.create(refund, options))
  expect(error).toBeInstanceOf(AbortError)
  expect(error).toMatchObject({ idempotencyKey: 'refund-42', shouldRetry: false })
})

test.each<[string, (delayMs: number, signal?: AbortSignal) => Promise<void>]>([
  ['rejects', (delayMs, signal) => delay(delayMs, undefined, { signal })],
  [
    'throws',
    (_delayMs, signal) => {
      signal?.throwIfAborted()
      return Promise.resolve()
    },
  ],
])('a call that is aborted in a sleep that %s has its key', async (_how, sleep) => {
  const controller = new AbortController()
  const { client, requests } = await startApi({ answers: [unavailable] })
  const hooks = { onRetry: () => controller.abort('the shopper left') }
  const options = { idempotencyKey: 'refund-42', signal: controller.signal }
  const error = await rejection(client({ sleep, hooks }).refunds.create(refund, options))
  expect(error).toBeInstanceOf(AbortError)
  expect(error).toMatchObject({ idempotencyKey: 'refund-42', cause: 'the shopper left' })
  expect(requests).toHaveLength(1)
})

test('a token is requested again although the sleep before has failed', async () => {
  const { baseUrl } = await startApi({ tokenAnswers: [unavailable] })
  const sleep = () => Promise.reject(new Error('no timers'))
  const tokens = createTokenSource({ baseUrl, clientId: 'shop', privateKey, sleep })
  expect(await tokens.get()).toBe('token-2')
})
