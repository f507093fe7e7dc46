import { readFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { connect } from 'node:net'
import { createWebhookHandler as expressHandler } from '@merchant-payments/webhook-verifier/express'
import { webhookPlugin } from '@merchant-payments/webhook-verifier/fastify'
import { createWebhookHandler as honoHandler } from '@merchant-payments/webhook-verifier/hono'
import { createWebhookHandler as nextHandler } from '@merchant-payments/webhook-verifier/next'
import type { Event } from '@merchant-payments/webhook-verifier'
import { createTestEvent, signPayload } from '@merchant-payments/webhook-verifier/testing'
import { getRequestListener } from '@hono/node-server'
import express from 'express'
import express4 from 'express-4'
import fastify from 'fastify'
import { Hono } from 'hono'
import { describe, expect, onTestFinished, test } from 'vitest'
import { listen as listenUntilEnd } from '@merchant-payments/testing/listen'

const secrets = ['whsec_new_0123456789abcdef0123456789', 'whsec_old_0123456789abcdef0123456789']
const event = createTestEvent('payment_intent.succeeded')
const payload = JSON.stringify(event)

type OnEvent = (event: Event) => unknown
type Deliver = (init: RequestInit) => Promise<Response>
interface Receiver {
  readonly deliver: Deliver
  readonly refused: readonly string[]
  readonly events: readonly Event[]
}
type Start = (
  options: { secrets: string[]; bodyMaxBytes: number; onRefused: (error: { code: string }) => void },
  onEvent: OnEvent,
) => Deliver | Promise<Deliver>

async function listen(listener: RequestListener): Promise<Deliver> {
  const port = await portOf(listener)
  return (init) => fetch(`http://127.0.0.1:${port}/webhooks`, init)
}

// Longer than a test, so that no test passes because Node closed a connection on which nothing moved.
const portOf = (listener: RequestListener): Promise<number> =>
  listenUntilEnd(createServer({ keepAliveTimeout: 120_000 }, listener))

const url = 'https://shop.example/webhooks'
const quiet = (_error: unknown, _request: unknown, response: express.Response, _next: unknown) =>
  response.status(500).end()

const adapters: Record<string, Start> = {
  express: (options, onEvent) =>
    listen(express().post('/webhooks', expressHandler(options, onEvent)).use(quiet)),
  'express behind express.raw()': (options, onEvent) =>
    listen(
      express()
        .use(express.raw({ type: '*/*' }))
        .post('/webhooks', expressHandler(options, onEvent))
        .use(quiet),
    ),
  'express 4': (options, onEvent) =>
    listen(express4().post('/webhooks', expressHandler(options, onEvent)).use(quiet)),
  'express 4 behind express.raw()': (options, onEvent) =>
    listen(
      express4()
        .use(express4.raw({ type: '*/*' }))
        .post('/webhooks', expressHandler(options, onEvent))
        .use(quiet),
    ),
  'express 4 behind express.urlencoded()': (options, onEvent) =>
    listen(
      express4()
        .use(express4.urlencoded({ extended: false }))
        .post('/webhooks', expressHandler(options, onEvent))
        .use(quiet),
    ),
  fastify: async (options, onEvent) => {
    const app = fastify()
    app.register(webhookPlugin, { path: '/webhooks', ...options, onEvent })
    await app.ready()
    return listen((request, response) => app.routing(request, response))
  },
  hono: (options, onEvent) => {
    const app = new Hono()
      .post('/webhooks', honoHandler(options, onEvent))
      .onError((_, c) => c.body(null, 500))
    return async (init) => app.fetch(new Request(url, init))
  },
  next: (options, onEvent) => {
    const post = nextHandler(options, onEvent)
    return (init) => post(new Request(url, init)).catch(() => new Response(null, { status: 500 }))
  },
}

async function start(
  how: Start,
  onEvent: OnEvent = () => undefined,
  observe: () => unknown = () => undefined,
): Promise<Receiver> {
  const refused: string[] = []
  const events: Event[] = []
  const onRefused = ({ code }: { code: string }) => {
    refused.push(code)
    return observe()
  }
  const deliver = await how({ secrets, bodyMaxBytes: 2_000, onRefused }, async (one) => {
    events.push(one)
    await onEvent(one)
  })
  return { deliver, refused, events }
}

async function delivery(
  body = payload,
  secret = secrets[0] ?? '',
  timestampSec?: number,
): Promise<RequestInit> {
  const signed = timestampSec === undefined ? {} : { timestampSec }
  const signature = await signPayload({ payload: body, secrets: secret, ...signed })
  return {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Compat-Signature': signature },
    body,
  }
}

describe.each(Object.entries(adapters))('%s', (_, how) => {
  test.each([0, 1])(
    'passes on the event that secret %i of a rotation signed, and answers 200',
    async (index) => {
      const { deliver, events, refused } = await start(how)
      const response = await deliver(await delivery(payload, secrets[index]))
      expect([response.status, await response.text()]).toEqual([200, ''])
      expect({ events, refused }).toEqual({ events: [event], refused: [] })
    },
  )

  test.each<[code: string, send: () => Promise<RequestInit>]>([
    [
      'missing_header',
      async () => ({ ...(await delivery()), headers: { 'Content-Type': 'application/json' } }),
    ],
    ['signature_mismatch', async () => ({ ...(await delivery()), body: payload.replace('5000', '5001') })],
    ['signature_mismatch', async () => delivery(payload, 'whsec_of_somebody_else_0123456789abcdef')],
    ['timestamp_too_old', async () => delivery(payload, secrets[0], 1_000)],
    ['invalid_json', async () => delivery('{}')],
    ['payload_too_large', async () => delivery(JSON.stringify({ ...event, note: 'a'.repeat(3_000) }))],
  ])('answers 400 without details, and reports %s to onRefused', async (code, send) => {
    const { deliver, events, refused } = await start(how)
    const response = await deliver(await send())
    expect([response.status, await response.text()]).toEqual([400, ''])
    expect({ events, refused }).toEqual({ events: [], refused: [code] })
  })

  test('passes errors of the receiver to the framework, so that the service sends again', async () => {
    const { deliver, refused } = await start(how, () => Promise.reject(new Error('the database is away')))
    expect((await deliver(await delivery())).status).toBe(500)
    expect(refused).toEqual([])
  })

  const fail = () => {
    throw new Error('the log is away')
  }
  test.each([
    ['throws', fail],
    ['rejects', async () => fail()],
  ])('answers 400 if onRefused %s, and nothing is left unhandled', async (_what, observe) => {
    const unhandled: unknown[] = []
    const note = (reason: unknown) => void unhandled.push(reason)
    process.on('unhandledRejection', note)
    onTestFinished(() => void process.off('unhandledRejection', note))
    const { deliver, refused } = await start(how, () => undefined, observe)
    expect((await deliver(await delivery('{}'))).status).toBe(400)
    // Node reports a rejection that is unhandled at the end of a turn.
    await new Promise((resolve) => setImmediate(resolve))
    expect({ refused, unhandled }).toEqual({ refused: ['invalid_json'], unhandled: [] })
  })
})

test.each<[name: string, make: (options: { secrets: string }) => unknown]>([
  ['express', (options) => expressHandler(options, () => undefined)],
  ['hono', (options) => honoHandler(options, () => undefined)],
  ['fastify', async (options) => fastify().register(webhookPlugin, { ...options, onEvent: () => undefined })],
])('%s refuses options that verify nothing at the start', async (_name, make) => {
  await expect(async () => make({ secrets: '' })).rejects.toThrow('a secret must be')
})

test('next refuses options that verify nothing at the first request, because next build has no secret', async () => {
  const post = nextHandler({ secrets: '' }, () => undefined)
  await expect(post(new Request(url, await delivery()))).rejects.toThrow('a secret must be')
})

test('express behind express.json() reports that the body is not raw', async () => {
  const { deliver, refused } = await start((options, onEvent) =>
    listen(express().use(express.json()).post('/webhooks', expressHandler(options, onEvent))),
  )
  expect((await deliver(await delivery())).status).toBe(400)
  expect(refused).toEqual(['body_not_raw'])
})

test.each([
  ['express', express],
  ['express 4', express4],
])('%s behind express.raw() takes the largest event, if the README’s options are given', async (_, make) => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')
  const [, limit] = /express\.raw\(\{ type: '\*\/\*', limit: '(\w+)' \}\)/.exec(readme) ?? []
  const handler = expressHandler({ secrets }, () => undefined)
  const deliver = await listen(
    make()
      .use(make.raw({ type: '*/*', limit: limit ?? '100kb' }))
      .post('/webhooks', handler),
  )
  expect((await deliver(await delivery(payload.padEnd(204_800)))).status).toBe(200)
})

test('fastify’s other routes parse JSON as before', async () => {
  const app = fastify()
  app.register(webhookPlugin, { secrets, onEvent: () => undefined })
  app.post('/orders', async ({ body }) => body)
  const { body } = await app.inject({ method: 'POST', url: '/orders', payload: { a: 1 } })
  expect(body).toBe('{"a":1}')
})

test('fastify’s own options of a plugin have their effect', async () => {
  const logged: string[] = []
  const app = fastify({ logger: { stream: { write: (line) => void logged.push(line) } } })
  const own = { prefix: '/shop', logLevel: 'silent', logSerializers: { note: () => '' } } as const
  app.register(webhookPlugin, { ...own, secrets, onEvent: () => undefined })
  const { headers } = await delivery()
  const { statusCode } = await app.inject({
    method: 'POST',
    url: '/shop/webhooks',
    payload,
    headers: headers as Record<string, string>,
  })
  expect({ statusCode, logged }).toEqual({ statusCode: 200, logged: [] })
})

test('fastify refuses unknown options at the start', async () => {
  const app = fastify()
  app.register(webhookPlugin, { secrets, onEvent: () => undefined, tolerance: 300 } as never)
  await expect(app.ready()).rejects.toThrow('tolerance is no option')
})

test.each([2 * 1_024 * 1_024, Infinity])(
  'fastify takes a body of 2 MiB if bodyMaxBytes is %d',
  async (bodyMaxBytes) => {
    const app = fastify()
    app.register(webhookPlugin, { secrets, bodyMaxBytes, onEvent: () => undefined })
    const body = payload.padEnd(2 * 1_024 * 1_024)
    const { headers } = await delivery(body)
    const { statusCode } = await app.inject({
      method: 'POST',
      url: '/webhooks',
      payload: body,
      headers: headers as Record<string, string>,
    })
    expect(statusCode).toBe(200)
  },
)

describe('a connection that a proxy reuses', () => {
  const options = { secrets, bodyMaxBytes: 2_000 }
  const servers: Record<string, () => RequestListener | Promise<RequestListener>> = {
    express: () =>
      express().post(
        '/webhooks',
        expressHandler(options, () => undefined),
      ),
    'express 4': () =>
      express4().post(
        '/webhooks',
        expressHandler(options, () => undefined),
      ),
    fastify: async () => {
      const app = fastify()
      app.register(webhookPlugin, { ...options, onEvent: () => undefined })
      await app.ready()
      return (request, response) => app.routing(request, response)
    },
    hono: () => {
      const app = new Hono().post(
        '/webhooks',
        honoHandler(options, () => undefined),
      )
      return getRequestListener(app.fetch)
    },
    next: () => getRequestListener(nextHandler(options, () => undefined)),
  }
  const large = 'a'.repeat(300_000)
  const unsigned = { 'content-length': large.length }
  const forged = {
    ...unsigned,
    'service-signature': `t=${Math.floor(Date.now() / 1_000)},v1=${'0'.repeat(64)}`,
  }

  test.each(
    Object.entries(servers).flatMap(([name, serve]) => [
      { name, what: 'no signature', headers: unsigned, serve },
      { name, what: 'a forged signature', headers: forged, serve },
    ]),
  )('$name answers the request after a large body with $what, or closes', async ({ headers, serve }) => {
    const port = await portOf(await serve())
    const socket = connect(port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    let received = ''
    let isClosed = false
    socket.on('data', (chunk) => (received += String(chunk)))
    socket.on('error', () => undefined)
    socket.on('close', () => {
      isClosed = true
    })
    const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.write(
      `POST /webhooks HTTP/1.1\r\nhost: a\r\ncontent-type: text/plain\r\n${head.join('')}\r\n${large}`,
    )
    socket.write('GET /next HTTP/1.1\r\nhost: a\r\n\r\n')
    const answers = () => received.match(/HTTP\/1\.1 \d+/g)?.length ?? 0
    await expect.poll(() => isClosed || answers() === 2).toBe(true)
    expect(received).toMatch(/^HTTP\/1\.1 4\d\d/)
  })
})
