import { getEventListeners, once } from 'node:events'
import { Agent, type ClientRequestArgs, createServer, request } from 'node:http'
import { Agent as SecureAgent } from 'node:https'
import { connect, createServer as createTcpServer, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { inspect } from 'node:util'
import { certificateFor } from '@merchant-payments/testing/certificate'
import { freePort, listen } from '@merchant-payments/testing/listen'
import { Agent as Undici } from 'undici'
import { Agent as Undici7 } from 'undici-7'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Deadline } from '../src/deadline.ts'
import { fetchTransport } from '../src/fetch.ts'
import { createMerchantPayments as createOverFetch } from '../src/index.ts'
import {
  AbortError,
  ConnectionError,
  DecodeError,
  type MerchantPaymentsOptions,
  type RequestEvent,
  TimeoutError,
  type Transport,
  TransportError,
} from '../src/index-node.ts'
import { carriedByNode } from '../src/node-transport.ts'
import { undiciTransport } from '../src/undici.ts'
import { type Answer, intent, privateKey, rejection, startApi } from './api-server.ts'

const found: Answer = { body: intent }
const silent: Answer = () => {}
const stalled: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.write('{"id":')
}
const cutShort: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
  response.write('{"id":', () => response.destroy())
}

/** An answer with a token, below a header that is no HTTP. Returns its address. */
async function startBrokenProxy(token: string): Promise<string> {
  const body = JSON.stringify({ access_token: token, token_type: 'Bearer', expires_in: 900 })
  const head = `HTTP/1.1 200 OK\r\n\0bad\r\ncontent-length: ${body.length}\r\n\r\n`
  const proxy = createTcpServer((socket) => void socket.once('data', () => socket.write(head + body)))
  return `http://127.0.0.1:${await listen(proxy)}`
}

describe.each<[string, Transport | undefined]>([
  ['node:http', undefined],
  ['fetch', fetchTransport()],
  ['a fetch of its own', fetchTransport((url, init) => fetch(url, init))],
  ['undici 8', undiciTransport(new Undici())],
  ['undici 7', undiciTransport(new Undici7())],
])('over %s', (_name, transport) => {
  test('the error of an answer that is no HTTP has nothing of the answer', async () => {
    const token = 'token-very-secret'
    const { client } = await startApi()
    const payments = client({ transport, baseUrl: await startBrokenProxy(token), maxRetries: 0 })
    const error = await rejection(payments.paymentIntents.retrieve(intent.id))
    expect(error).toBeInstanceOf(ConnectionError)
    let texts = inspect(error, { depth: null, showHidden: true })
    for (let one: unknown = error; one instanceof Error; one = one.cause) {
      for (const value of Object.values(one))
        if (ArrayBuffer.isView(value)) texts += Buffer.from(value.buffer).toString()
    }
    expect(texts).toContain('Parse')
    expect(texts).not.toContain(token)
  })

  test('a call sends and receives the same as over every other transport', async () => {
    const body = { ...intent, description: 'Thé à la menthe ☕'.repeat(20_000) }
    const { client, requests } = await startApi({
      answers: [{ status: 201, headers: { 'set-cookie': 'a=b' }, body }],
    })
    const result = await client({ transport }).paymentIntents.cancel(intent.id, {
      cancellation_reason: 'abandoned',
    })
    expect(result).toEqual(body)
    expect(result.lastResponse.headers).not.toHaveProperty('set-cookie')
    expect(requests).toMatchObject([
      {
        method: 'POST',
        path: `/v1/payment_intents/${intent.id}/cancel`,
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          authorization: 'Bearer token-1',
          'content-length': '29',
        },
        body: 'cancellation_reason=abandoned',
      },
    ])
  })

  test.each([
    ['no answer', silent],
    ['a body that stalls', stalled],
  ])('the time-out ends %s, and the client retries', async (_what, answer) => {
    const { client, requests } = await startApi({ answers: [found, answer, answer] })
    const { paymentIntents } = client({ transport })
    // The token and the connection are there, so that a slow machine spends no time-out on them.
    await paymentIntents.retrieve(intent.id)
    const options = { timeoutMs: 1_000, maxRetries: 1, idempotencyKey: 'order-42' }
    const error = await rejection(paymentIntents.cancel(intent.id, {}, options))
    expect(error).toBeInstanceOf(TimeoutError)
    expect(error).toMatchObject({
      message: 'No complete answer within 1000 ms.',
      type: 'timeout_error',
      status: undefined,
      shouldRetry: true,
      idempotencyKey: 'order-42',
    })
    expect(requests).toHaveLength(3)
  })

  test('a body that ends too early is a lost connection, and the client retries', async () => {
    const { client, requests } = await startApi({ answers: [cutShort, found, cutShort] })
    const payments = client({ transport })
    expect(await payments.paymentIntents.retrieve(intent.id)).toEqual(intent)
    const error = await rejection(payments.paymentIntents.retrieve(intent.id, { maxRetries: 0 }))
    expect(error).toBeInstanceOf(ConnectionError)
    expect(requests).toHaveLength(3)
  })

  test('a refused connection gives an error with its code', async () => {
    const { client } = await startApi()
    const closed = client({ transport, baseUrl: `http://127.0.0.1:${await freePort()}` })
    const error = await rejection(closed.paymentIntents.retrieve(intent.id))
    expect(error).toMatchObject({ name: 'ConnectionError', message: 'The connection failed (ECONNREFUSED).' })
  })

  test.each([
    ['before the answer', silent],
    ['within the body', stalled],
  ])('an abort %s ends the call and its connection at once', async (_when, answer) => {
    const gone = Promise.withResolvers<unknown>()
    const controller = new AbortController()
    const abortOnArrival: Answer = (response, seen) => {
      gone.resolve(once(response, 'close'))
      if (typeof answer === 'function') answer(response, seen)
      controller.abort('the shopper left')
    }
    const { client, requests } = await startApi({ answers: [abortOnArrival] })
    const call = client({ transport }).paymentIntents.retrieve(intent.id, { signal: controller.signal })
    const error = await rejection(call)
    expect(error).toBeInstanceOf(AbortError)
    expect(error).toMatchObject({ type: 'abort_error', cause: 'the shopper left', shouldRetry: false })
    await gone.promise
    expect(requests).toHaveLength(1)
  })

  test('a body above the limit is not read completely', async () => {
    const gone = Promise.withResolvers<unknown>()
    const endless: Answer = (response) => {
      gone.resolve(once(response, 'close'))
      response.writeHead(200, { 'content-type': 'application/json', 'request-id': 'req_8' })
      const chunk = Buffer.alloc(64 * 1024, ' ')
      const more = () => {
        while (!response.destroyed && response.write(chunk));
      }
      response.on('drain', more)
      more()
    }
    const { client } = await startApi({ answers: [endless] })
    const error = await rejection(client({ transport }).paymentIntents.retrieve(intent.id))
    expect(error).toBeInstanceOf(DecodeError)
    expect(error).toMatchObject({
      message: 'The answer (200) is not valid: its body is too large.',
      requestId: 'req_8',
    })
    await gone.promise
  })

  test('a redirect is returned like any other answer', async () => {
    const { client, requests } = await startApi({
      answers: [{ status: 301, headers: { location: '/v1/events' } }, found],
    })
    const error = await rejection(client({ transport }).paymentIntents.retrieve(intent.id))
    expect(error).toMatchObject({ name: 'DecodeError', status: 301 })
    expect(requests).toHaveLength(1)
  })
})

describe('time and signals', () => {
  test('an aborted signal sends nothing', async () => {
    let signatures = 0
    const sign = () => {
      signatures += 1
      return Promise.resolve(new Uint8Array())
    }
    const { client } = await startApi()
    const signal = AbortSignal.abort()
    const call = client({ privateKey: sign }).paymentIntents.retrieve(intent.id, { signal })
    expect(await rejection(call)).toBeInstanceOf(AbortError)
    await new Promise((resolve) => setImmediate(resolve))
    expect(signatures).toBe(0)
  })

  test('an abort before the request prevents it', async () => {
    const controller = new AbortController()
    const { client, requests } = await startApi({ answers: [found, found] })
    const onRequest = ({ url }: RequestEvent) => {
      if (url.endsWith(intent.id)) controller.abort()
    }
    const payments = client({ hooks: { onRequest } })
    const call = payments.paymentIntents.retrieve(intent.id, { signal: controller.signal })
    expect(await rejection(call)).toBeInstanceOf(AbortError)
    await payments.events.retrieve('evt_1')
    expect(requests.map(({ path }) => path)).toEqual(['/v1/events/evt_1'])
  })

  test('an abort ends a back-off, and no attempt follows', async () => {
    const controller = new AbortController()
    const sleep = (_delayMs: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        signal?.addEventListener('abort', () => resolve())
        controller.abort()
      })
    const { client, requests } = await startApi({ answers: [{ status: 503 }] })
    const call = client({ sleep }).paymentIntents.retrieve(intent.id, { signal: controller.signal })
    expect(await rejection(call)).toBeInstanceOf(AbortError)
    expect(requests).toHaveLength(1)
  })

  test('a signal of many calls keeps no listeners', async () => {
    const { signal } = new AbortController()
    const { client } = await startApi({ answers: [{ status: 503 }, found] })
    await client({ sleep: undefined, random: () => 0 }).paymentIntents.retrieve(intent.id, { signal })
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  test('a call that waits for another call’s token request has its own time-out', async () => {
    const { client, requests } = await startApi({ tokenAnswers: [silent] })
    const call = client().paymentIntents.retrieve(intent.id, { timeoutMs: 50, maxRetries: 0 })
    const error = await rejection(call)
    expect(error).toBeInstanceOf(TimeoutError)
    expect(requests).toEqual([])
  })

  test('an abort of one caller does not fail others that wait for the token', async () => {
    const controller = new AbortController()
    const late: Answer = (response) => {
      controller.abort()
      response.end(JSON.stringify({ access_token: 'token-late', token_type: 'Bearer', expires_in: 900 }))
    }
    const { client, requests } = await startApi({ answers: [found], tokenAnswers: [late] })
    const payments = client()
    const aborted = rejection(payments.paymentIntents.retrieve(intent.id, { signal: controller.signal }))
    const other = payments.paymentIntents.retrieve(intent.id)
    expect(await aborted).toBeInstanceOf(AbortError)
    expect(await other).toEqual(intent)
    expect(requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer token-late'])
  })

  test('a transport that ignores its signal cannot delay a call', async () => {
    const { client } = await startApi()
    const hearing = fetchTransport()
    const deaf: Transport = (request) =>
      request.url.endsWith('/token') ? hearing(request) : new Promise(() => {})
    const payments = client({ transport: deaf })
    const error = await rejection(
      payments.paymentIntents.retrieve(intent.id, { timeoutMs: 50, maxRetries: 0 }),
    )
    expect(error).toBeInstanceOf(TimeoutError)
  })

  test('connections are reused', async () => {
    const ports = new Set<number | undefined>()
    const remember: Answer = (response) => {
      ports.add(response.socket?.remotePort)
      response.end(JSON.stringify(intent))
    }
    const { client } = await startApi({ answers: [remember, remember, remember] })
    const payments = client()
    for (const _call of [1, 2, 3]) await payments.paymentIntents.retrieve(intent.id)
    expect(ports.size).toBe(1)
  })
})

describe('an idle connection over node:http', () => {
  /** Remembers the connection of a call, and announces after how many seconds the server closes it. */
  const announcing =
    (sockets: (Socket | null)[], timeoutSec: number, answerAfterMs: number): Answer =>
    (response) => {
      sockets.push(response.socket)
      response.writeHead(200, { connection: 'keep-alive', 'keep-alive': `timeout=${timeoutSec}` })
      setTimeout(() => response.end(JSON.stringify(intent)), answerAfterMs)
    }

  test('is closed by the client before the time that the server announces, also after a slow call', async () => {
    const sockets: (Socket | null)[] = []
    const slow = announcing(sockets, 2, 1_500)
    const { client } = await startApi({
      answers: [announcing(sockets, 2, 0), slow, announcing(sockets, 2, 0)],
    })
    const payments = client()
    for (const _call of [1, 2, 3]) await payments.paymentIntents.retrieve(intent.id)
    expect(new Set(sockets).size).toBe(1)
    // The test's server destroys its idle connections after a longer time, without this event.
    await once(sockets[0] as Socket, 'end')
  })

  test('is not used again if the server announces to close it at once', async () => {
    const sockets: (Socket | null)[] = []
    const { client } = await startApi({ answers: [1, 2, 3].map(() => announcing(sockets, 1, 0)) })
    const payments = client()
    for (const _call of [1, 2, 3]) await payments.paymentIntents.retrieve(intent.id)
    expect(new Set(sockets).size).toBe(3)
  })
})

describe('a transport with a bug', () => {
  const broken: [string, Partial<MerchantPaymentsOptions>][] = [
    ['that throws a TypeError', { transport: () => Promise.reject(new TypeError('x is not a function')) }],
    [
      'that throws an error of another realm',
      { transport: () => Promise.reject({ name: 'ReferenceError' }) },
    ],
    ['without a fetch', { transport: fetchTransport('no function' as never) }],
    [
      'with a fetch that has a bug',
      { transport: fetchTransport(() => Promise.reject(new TypeError('x.trace is not a function'))) },
    ],
    ['with an invalid agent', { agent: { destroy: () => {} } }],
    ['with an invalid dispatcher', { transport: undiciTransport({} as never) }],
  ]
  test.each(broken)('%s fails at once, with the key of the call', async (_what, options) => {
    const { client, requests, delaysMs } = await startApi({ answers: [found] })
    const error = await rejection(
      client(options).paymentIntents.cancel(intent.id, {}, { idempotencyKey: 'order-42' }),
    )
    expect(error).toBeInstanceOf(TransportError)
    expect(error).toMatchObject({
      type: 'transport_error',
      shouldRetry: false,
      idempotencyKey: 'order-42',
      cause: expect.anything(),
    })
    expect([requests, delaysMs]).toEqual([[], []])
  })
})

describe('an agent', () => {
  test('of its own carries the requests of a client', async () => {
    const agent = new Agent({ keepAlive: true })
    onTestFinished(() => agent.destroy())
    const { client } = await startApi({ answers: [found] })
    await client({ agent }).paymentIntents.retrieve(intent.id)
    expect(Object.values(agent.freeSockets).flat()).toHaveLength(1)
  })

  describe('of a proxy', () => {
    /** Files its sockets as agent-base does, on which https-proxy-agent and its like are built. */
    class TunnelAgent extends Agent {
      readonly protocol = 'https:'
      tunnels = 0
      #proxyPort = 0

      async open(): Promise<this> {
        const proxy = createServer().on('connect', (asked, socket) => {
          this.tunnels += 1
          const [host, port] = String(asked.url).split(':')
          const target = connect(Number(port), host, () => socket.write('HTTP/1.1 200 OK\r\n\r\n'))
          target.on('error', () => socket.destroy())
          socket.pipe(target).pipe(socket)
        })
        this.#proxyPort = await listen(proxy)
        onTestFinished(() => this.destroy())
        return this
      }

      override getName(options: { protocol?: string } = {}): string {
        const { protocol = new Error().stack?.includes('node:https:') === true ? 'https:' : 'http:' } =
          options
        return protocol === 'https:'
          ? SecureAgent.prototype.getName.call(this, options)
          : super.getName(options)
      }

      override createConnection(
        { host, port }: ClientRequestArgs,
        connected?: (error: Error | null, socket: Socket) => void,
      ): undefined {
        request({ port: this.#proxyPort, method: 'CONNECT', path: `${host}:${port}` })
          .on('connect', (_answer, socket) =>
            connected?.(null, connectTls({ socket, rejectUnauthorized: false })),
          )
          .end()
      }
    }
    const tls = certificateFor('payments.example', Date.now())

    test('gives its one connection to each call in turn', async () => {
      const agent = await new TunnelAgent({ maxSockets: 1 }).open()
      const { client } = await startApi({ answers: [found, found, found], tls })
      const payments = client({ agent, timeoutMs: 2_000, maxRetries: 0 })
      const calls = [1, 2, 3].map(() => payments.paymentIntents.retrieve(intent.id))
      expect(await Promise.all(calls)).toEqual([intent, intent, intent])
    })

    test('reuses its tunnel', async () => {
      const agent = await new TunnelAgent({ keepAlive: true }).open()
      const { client } = await startApi({ answers: [found, found], tls })
      const payments = client({ agent })
      for (const _call of [1, 2]) await payments.paymentIntents.retrieve(intent.id)
      expect(agent.tunnels).toBe(1)
    })
  })

  test('beside a transport is refused, because it would have no effect', async () => {
    const { client } = await startApi()
    const both = { agent: new Agent(), transport: fetchTransport() }
    expect(() => client(both)).toThrow(/^agent has no effect beside transport/)
  })

  test('is refused where there is no node:http', () => {
    const options = {
      baseUrl: 'https://payments.example.com',
      clientId: 'shop',
      privateKey,
      agent: new Agent(),
    }
    expect(() => createOverFetch(options)).toThrow(/^agent needs node:http/)
  })
})

test('the build for other runtimes sends over fetch', async () => {
  const { baseUrl, requests } = await startApi({ answers: [found] })
  const payments = createOverFetch({ baseUrl, clientId: 'shop', privateKey })
  expect(await payments.paymentIntents.retrieve(intent.id)).toEqual(intent)
  expect(requests).toMatchObject([{ headers: { 'sec-fetch-mode': 'cors' } }])
})

test('node:http sends what URL makes of an address, for one origin after the other', async () => {
  const answers = Array.from({ length: 10 }, () => found)
  const apis = [await startApi({ answers }), await startApi({ answers })]
  const paths = [
    '/v1/events?limit=1&types[0]=invoice.paid',
    "/v1/events?types[0]=%C3%A9~!*()'",
    '/v1/a/../events',
    '/v1/é',
  ]
  const deadline = new Deadline({ timeoutMs: 30_000 })
  onTestFinished(() => deadline.clear())
  for (const path of paths) {
    for (const { baseUrl } of apis) {
      const request = { method: 'GET', headers: {}, body: undefined, maxResponseBytes: 1_000 } as const
      expect((await carriedByNode()({ ...request, url: baseUrl + path }, deadline)).status).toBe(200)
    }
  }
  const sent = paths
    .map((path) => new URL(path, 'http://localhost'))
    .map(({ pathname, search }) => pathname + search)
  for (const { requests } of apis) expect(requests.map(({ path }) => path)).toEqual(sent)
})
