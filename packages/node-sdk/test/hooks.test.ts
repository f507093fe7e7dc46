import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { FailureEvent, Hooks, RequestEvent, ResponseEvent, RetryEvent } from '../src/index-node.ts'
import { type Answer, intent, rejection, startApi } from './api-server.ts'

test('hooks receive every attempt, and no secret', async () => {
  const { baseUrl, client } = await startApi({
    answers: [{ status: 503, headers: { 'request-id': 'req_1', 'set-cookie': 'a=b' } }, { body: intent }],
  })
  const events: [string, RequestEvent | ResponseEvent | RetryEvent][] = []
  const hooks: Hooks = {
    onRequest: (event) => events.push(['request', event]),
    onResponse: (event) => events.push(['response', event]),
    onRetry: (event) => events.push(['retry', event]),
  }
  const options = { idempotencyKey: 'order-42', headers: { 'x-api-key': 'very-secret' } }
  await client({ hooks, clock: () => 0 }).paymentIntents.cancel(intent.id, {}, options)

  const token = { method: 'POST', url: `${baseUrl}/v1/oauth/token`, attempt: 1, idempotencyKey: undefined }
  const cancel = {
    method: 'POST',
    url: `${baseUrl}/v1/payment_intents/${intent.id}/cancel`,
    idempotencyKey: 'order-42',
  }
  const common = {
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
    'user-agent': expect.any(String),
  }
  const headers = {
    ...common,
    'x-api-key': '[redacted]',
    authorization: '[redacted]',
    'idempotency-key': 'order-42',
  }
  const responseHeaders = expect.objectContaining({ 'content-type': 'application/json' })
  const response = { headers: responseHeaders, durationMs: 0 }
  expect(events).toEqual([
    ['request', { ...token, headers: common }],
    ['response', { ...token, ...response, status: 200, requestId: undefined }],
    ['request', { ...cancel, headers, attempt: 1 }],
    ['response', { ...cancel, ...response, attempt: 1, status: 503, requestId: 'req_1' }],
    ['retry', { ...cancel, attempt: 1, delayMs: 250, error: expect.objectContaining({ status: 503 }) }],
    ['request', { ...cancel, headers, attempt: 2 }],
    ['response', { ...cancel, ...response, attempt: 2, status: 200, requestId: undefined }],
  ])
  expect(JSON.stringify(events)).not.toMatch(/very-secret|token-1|set-cookie|assertion/)
})

const reset: Answer = (response) => response.destroy()

test.each<[string, Answer, object]>([
  ['without an answer', reset, { name: 'ConnectionError' }],
  ['with an answer', { status: 503 }, { status: 503 }],
  ['with an answer that is no JSON', { status: 200, body: '<html>' }, { name: 'DecodeError' }],
])('a call that fails in its last attempt, %s, is reported once', async (_how, answer, error) => {
  const { baseUrl, client } = await startApi({ answers: [reset, answer] })
  const failures: FailureEvent[] = []
  const hooks: Hooks = { onFailure: (event) => failures.push(event) }
  const options = { idempotencyKey: 'order-42', maxRetries: 1 }
  const thrown = await rejection(client({ hooks }).paymentIntents.cancel(intent.id, {}, options))
  expect(thrown).toMatchObject(error)
  expect(failures).toEqual([
    {
      method: 'POST',
      url: `${baseUrl}/v1/payment_intents/${intent.id}/cancel`,
      attempt: 2,
      idempotencyKey: 'order-42',
      error: thrown,
    },
  ])
})

test('a call without a token is reported as failed', async () => {
  const { client } = await startApi({ tokenAnswers: [{ status: 401, body: { error: 'invalid_client' } }] })
  const failures: FailureEvent[] = []
  const hooks: Hooks = { onFailure: (event) => failures.push(event) }
  await rejection(client({ hooks }).paymentIntents.retrieve(intent.id))
  expect(failures).toMatchObject([{ method: 'GET', attempt: 1, error: { name: 'OAuthError' } }])
})

/** Rejections that nothing handles. Node ends a process for the first one. */
function unhandledRejections(): readonly unknown[] {
  const unhandled: unknown[] = []
  const note = (reason: unknown) => void unhandled.push(reason)
  process.on('unhandledRejection', note)
  onTestFinished(() => void process.off('unhandledRejection', note))
  return unhandled
}

const fullLog = new Error('the log is full')

test.each<[string, () => void]>([
  [
    'an error in a hook',
    () => {
      throw fullLog
    },
  ],
  ['a rejection of an async hook', () => Promise.reject(fullLog)],
])('%s neither hides the result of a payment nor ends the process', async (_what, fail) => {
  const unhandled = unhandledRejections()
  const hooks = { onRequest: fail, onResponse: fail, onRetry: fail, onFailure: fail }
  const logger = { error: fail, warn: fail, info: fail, debug: fail }
  for (const options of [{ hooks }, { logLevel: 'debug', logger } as const]) {
    const { client } = await startApi({ answers: [{ status: 503 }, { body: intent }, { status: 400 }] })
    const { paymentIntents } = client(options)
    expect(await paymentIntents.retrieve(intent.id)).toEqual(intent)
    expect(await rejection(paymentIntents.retrieve(intent.id))).toMatchObject({ status: 400 })
  }
  await setImmediate()
  expect(unhandled).toEqual([])
})
