import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createHttpsServer } from 'node:https'
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates } from 'node:tls'
import { certificateFor } from '@merchant-payments/testing/certificate'
import { listen } from '@merchant-payments/testing/listen'
import { startAfterLostSyn } from '@merchant-payments/testing/lost-syn'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { PostOutcome } from '../src/egress/egress.ts'
import type { ResolvedAddress } from '../src/egress/lookup.ts'
import { testEgress } from './harness.ts'
import { answerWith, hang, startReceiver } from './receiver.ts'

const loopback: ResolvedAddress = { address: '127.0.0.1', family: 4 }

const message = (url: string) => ({
  url: new URL(url),
  headers: { 'Content-Type': 'application/json', 'Service-Event-Id': 'evt_1' },
  body: Buffer.from('{"a":"é"}'),
})

const failed = (error: string): PostOutcome => ({
  result: 'failed',
  statusCode: null,
  error: error as PostOutcome['error'],
  responseExcerpt: null,
})

/** A raw TCP server. The test decides what it writes, and when. */
const rawServer = (onSocket: (socket: Socket) => void, server: Server = createServer()): Promise<number> =>
  listen(server.on('connection', onSocket))

/** Answers each request's first bytes with this text. */
const rawAnswer = (text: string) =>
  rawServer((socket) => {
    socket.once('data', () => socket.write(text))
  })

const INTERIM = 'HTTP/1.1 103 \r\n\r\n'

/** Writes interim answers until the connection is closed. */
function neverStop(socket: Socket): void {
  const flood = INTERIM.repeat(4_096)
  const write = () => {
    while (!socket.destroyed && socket.write(flood));
  }
  socket.on('drain', write)
  socket.once('data', write)
}

/** Counts the heads of answers, interim ones too, that undici reads. */
function countHeads(): () => number {
  let heads = 0
  const count = () => {
    heads += 1
  }
  subscribe('undici:request:headers', count)
  onTestFinished(() => void unsubscribe('undici:request:headers', count))
  return () => heads
}

describe('an answer', () => {
  test('of 2xx succeeds, with path, query, headers and bytes as sent', async () => {
    const receiver = await startReceiver(answerWith(204))

    expect(await testEgress().post(message(receiver.url))).toEqual({
      result: 'succeeded',
      statusCode: 204,
      error: null,
      responseExcerpt: '',
    })
    expect(receiver.posts).toEqual([
      {
        path: '/hook?shop=1',
        headers: {
          host: `127.0.0.1:${receiver.port}`,
          connection: 'keep-alive',
          'content-type': 'application/json',
          'content-length': '10',
          'service-event-id': 'evt_1',
        },
        body: '{"a":"é"}',
      },
    ])
  })

  test.each([200, 299])('%i is a success [§3.3]', async (status) => {
    const receiver = await startReceiver(answerWith(status, {}, 'ok'))
    expect(await testEgress().post(message(receiver.url))).toEqual({
      result: 'succeeded',
      statusCode: status,
      error: null,
      responseExcerpt: 'ok',
    })
  })

  test.each([300, 400, 404, 410, 429, 500, 503, 599])(
    '%i is a failed attempt [§3.3, §6.3.6]',
    async (status) => {
      const receiver = await startReceiver(answerWith(status, {}, 'no'))
      expect(await testEgress().post(message(receiver.url))).toEqual({
        result: 'failed',
        statusCode: status,
        error: null,
        responseExcerpt: 'no',
      })
    },
  )

  test.each([301, 302, 303, 307, 308])('%i is not followed [§3.3, §6.3.6]', async (status) => {
    const target = await startReceiver(answerWith(200))
    const receiver = await startReceiver(answerWith(status, { location: target.url }))

    expect(await testEgress().post(message(receiver.url))).toMatchObject({
      result: 'failed',
      statusCode: status,
    })
    expect({ here: receiver.posts.length, there: target.posts.length }).toEqual({ here: 1, there: 0 })
  })

  test('may follow eight interim answers', async () => {
    const port = await rawAnswer(`${INTERIM.repeat(8)}HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n`)
    expect(await testEgress().post(message(`http://127.0.0.1:${port}/`))).toMatchObject({ statusCode: 200 })
  })

  test('keeps its status when its body never ends [§6.3.7]', async () => {
    const port = await rawAnswer('HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhalf')
    const egress = testEgress({ totalTimeoutMs: 1_000 })

    expect(await egress.post(message(`http://127.0.0.1:${port}/`))).toEqual({
      result: 'succeeded',
      statusCode: 200,
      error: null,
      responseExcerpt: 'half',
    })
  })

  test('of ten megabytes is dropped after its beginning', async () => {
    const receiver = await startReceiver(answerWith(200, {}, 'x'.repeat(10_000_000)))

    expect(await testEgress().post(message(receiver.url))).toEqual({
      result: 'succeeded',
      statusCode: 200,
      error: null,
      responseExcerpt: 'x'.repeat(500),
    })
  })
})

describe('without an answer, the error is', () => {
  test('timeout, if the receiver accepts the POST and sends nothing [§6.3.7]', async () => {
    const receiver = await startReceiver(hang)
    const egress = testEgress({ totalTimeoutMs: 200 })

    expect(await egress.post(message(receiver.url))).toEqual(failed('timeout'))
  })

  test('timeout, if the headers never end [§6.3.7]', async () => {
    const port = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const dribble = setInterval(() => socket.write('a: b\r\n'), 20)
      socket.on('close', () => clearInterval(dribble))
    })
    const egress = testEgress({ totalTimeoutMs: 200 })

    expect(await egress.post(message(`http://127.0.0.1:${port}/`))).toEqual(failed('timeout'))
  })

  test('timeout, if the name server sends nothing', async () => {
    const egress = testEgress({ totalTimeoutMs: 50, lookup: () => new Promise(() => undefined) })
    expect(await egress.post(message('http://hooks.example/'))).toEqual(failed('timeout'))
  })

  test('connect_refused', async () => {
    const server = createServer()
    const port = await rawServer(() => undefined, server)
    server.close()
    expect(await testEgress().post(message(`http://127.0.0.1:${port}/`))).toEqual(failed('connect_refused'))
  })

  test('dns_failure', async () => {
    const egress = testEgress({ lookup: () => Promise.reject(new Error('ENOTFOUND')) })
    expect(await egress.post(message('http://hooks.example/'))).toEqual(failed('dns_failure'))
  })

  test('reset, whether the connection is reset or closed', async () => {
    const reset = await rawServer((socket) => socket.once('data', () => socket.resetAndDestroy()))
    const closed = await rawServer((socket) => socket.once('data', () => socket.end()))
    const egress = testEgress()

    expect(await egress.post(message(`http://127.0.0.1:${reset}/`))).toEqual(failed('reset'))
    expect(await egress.post(message(`http://127.0.0.1:${closed}/`))).toEqual(failed('reset'))
  })

  test('reset, for a 100 Continue that the POST did not ask for', async () => {
    const port = await rawAnswer('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
    expect(await testEgress().post(message(`http://127.0.0.1:${port}/`))).toEqual(failed('reset'))
  })

  test('protocol_error', async () => {
    const port = await rawAnswer('SSH-2.0-OpenSSH_9.9\r\n')
    expect(await testEgress().post(message(`http://127.0.0.1:${port}/`))).toEqual(failed('protocol_error'))
  })

  test('protocol_error at the ninth interim answer of a receiver that never stops, long before the deadline', async () => {
    const closed = Promise.withResolvers<void>()
    const port = await rawServer((socket) => {
      socket.on('error', () => undefined).on('close', () => closed.resolve())
      neverStop(socket)
    })
    const heads = countHeads()
    const egress = testEgress({ totalTimeoutMs: 20_000 })

    expect(await egress.post(message(`http://127.0.0.1:${port}/`))).toEqual(failed('protocol_error'))
    await closed.promise
    expect(heads()).toBe(9)
  })

  test('too_large, for too many headers', async () => {
    const port = await rawAnswer(`HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(20_000)}\r\n`)
    expect(await testEgress().post(message(`http://127.0.0.1:${port}/`))).toEqual(failed('too_large'))
  })

  test('tls_failure, for a server without TLS', async () => {
    const receiver = await startReceiver(answerWith(200))
    expect(await testEgress().post(message(`https://127.0.0.1:${receiver.port}/`))).toEqual(
      failed('tls_failure'),
    )
  })
})

describe('the guard', () => {
  test('refuses this machine unless the deployment allows it, and connects to nothing', async () => {
    const receiver = await startReceiver(answerWith(200))
    const guarded = testEgress({ allowPrivate: false, lookup: async () => [loopback] })

    for (const host of ['127.0.0.1', 'hooks.example', '[::ffff:127.0.0.1]', '2130706433']) {
      expect(await guarded.post(message(`http://${host}:${receiver.port}/`))).toEqual({
        result: 'refused',
        statusCode: null,
        error: 'address_refused',
        responseExcerpt: null,
      })
    }
    expect(receiver.connections()).toBe(0)
  })

  test('resolves once for each attempt, and connects only to that answer [§6.3.10]', async () => {
    const receiver = await startReceiver(answerWith(200))
    const answers: ResolvedAddress[] = [loopback, { address: '::1', family: 6 }, loopback]
    const hosts: string[] = []
    const egress = testEgress({
      lookup: async (host) => {
        hosts.push(host)
        return answers.slice(hosts.length - 1, hosts.length)
      },
    })
    const url = `http://hooks.example:${receiver.port}/`

    const first = await egress.post(message(url))
    const second = await egress.post(message(url))
    const third = await egress.post(message(url))

    // Nothing listens on ::1. The second attempt does not reuse the first one's connection.
    expect([first.result, second.result, third.result]).toEqual(['succeeded', 'failed', 'succeeded'])
    expect(receiver.posts.map(({ headers }) => headers.host)).toEqual(
      Array(2).fill(`hooks.example:${receiver.port}`),
    )
    expect(hosts).toEqual(Array(3).fill('hooks.example'))
  })

  test('keeps the host name in the TLS handshake', async () => {
    const names: string[] = []
    const server = createTlsServer({
      SNICallback: (name, callback) => {
        names.push(name)
        callback(new Error('no certificate'))
      },
    })
    server.on('tlsClientError', () => undefined)
    const port = await rawServer(() => undefined, server)
    const egress = testEgress({ lookup: async () => [loopback] })

    const outcome = await egress.post(message(`https://hooks.example:${port}/`))

    expect(outcome.statusCode).toBeNull()
    expect(names).toEqual(['hooks.example'])
  })

  test('accepts only a certificate for the host in the URL, whatever address it resolved to', async () => {
    const { key, cert } = certificateFor('hooks.example', Date.now())
    const before = getCACertificates('default')
    setDefaultCACertificates([...before, cert])
    onTestFinished(() => setDefaultCACertificates(before))
    let requests = 0
    const server = createHttpsServer({ key, cert }, (_request, response) => {
      requests += 1
      response.writeHead(204).end()
    })
    const port = await rawServer(() => undefined, server)
    const egress = testEgress({ lookup: async () => [loopback] })

    for (const host of ['other.example', 'hooks.example.evil.example', '127.0.0.1']) {
      expect(await egress.post(message(`https://${host}:${port}/`))).toEqual(failed('tls_failure'))
    }
    expect(requests).toBe(0)
    expect(await egress.post(message(`https://hooks.example:${port}/`))).toMatchObject({ statusCode: 204 })
    expect(requests).toBe(1)
  })

  test('refuses a host with one private address among public ones, and a name that turns private between attempts', async () => {
    const receiver = await startReceiver(answerWith(200))
    const publicAddress: ResolvedAddress = { address: '192.0.9.1', family: 4 }
    const answers = [
      [publicAddress, loopback],
      [loopback, publicAddress],
      [{ address: '::ffff:7f00:1', family: 6 }],
    ]
    let looked = 0
    const guarded = testEgress({ allowPrivate: false, lookup: async () => answers[looked++] ?? [] })

    for (const _ of answers) {
      expect(await guarded.post(message(`http://hooks.example:${receiver.port}/`))).toMatchObject({
        result: 'refused',
        error: 'address_refused',
      })
    }
    expect({ looked, connections: receiver.connections() }).toEqual({ looked: 3, connections: 0 })
  })

  test.each([
    'http://user:secret@127.0.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[fd00:ec2::254]/latest/meta-data/',
    'http://100.100.100.200/latest/meta-data/',
    'http://168.63.129.16/',
    'http://0.0.0.0:22/',
    'http://[::]:25/',
    'http://0x7f.1:6379/',
    'http://017700000001:5432/',
    'https://[64:ff9b::a9fe:a9fe]/',
    'https://[2002:7f00:1::]/',
    'https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/',
  ])('refuses %s without a look-up', async (url) => {
    const guarded = testEgress({ allowPrivate: false, lookup: () => expect.unreachable('no look-up') })
    expect(await guarded.post(message(url))).toMatchObject({ result: 'refused', error: 'address_refused' })
  })

  test('uses no proxy from the environment', async () => {
    const receiver = await startReceiver(answerWith(200))
    const proxy = await startReceiver(answerWith(200))
    for (const name of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY']) {
      const before = process.env[name]
      process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : `http://127.0.0.1:${proxy.port}`
      onTestFinished(() => {
        if (before === undefined) delete process.env[name]
        else process.env[name] = before
      })
    }

    await testEgress().post(message(receiver.url))

    expect({ direct: receiver.posts.length, proxied: proxy.connections() }).toEqual({ direct: 1, proxied: 0 })
  })
})

test('consecutive attempts reuse connections', async () => {
  const receiver = await startReceiver(answerWith(200, {}, 'ok'))
  const egress = testEgress()

  for (let n = 0; n < 20; n += 1) await egress.post(message(receiver.url))

  expect(receiver.posts).toHaveLength(20)
  // The previous connection may still be closing when the next attempt begins.
  expect(receiver.connections()).toBeLessThanOrEqual(2)
})

test.each([
  ['of one family', [loopback]],
  ['of both families', [loopback, { address: '::1', family: 6 }]],
])('a POST survives the loss of its first packet if the addresses are %s', async (_, addresses) => {
  const receiver = await startAfterLostSyn()
  const egress = testEgress({
    connectTimeoutMs: 20_000,
    totalTimeoutMs: 30_000,
    lookup: async () => addresses,
  })

  const outcome = await egress.post(message(`http://hooks.example:${receiver.port}/`))

  expect(outcome).toMatchObject({ result: 'succeeded' })
  expect(receiver.lost()).toBe(true)
})
