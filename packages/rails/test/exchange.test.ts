import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { freePort, listen } from '@merchant-payments/testing/listen'
import { startAfterLostSyn } from '@merchant-payments/testing/lost-syn'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openRailHttp, type RailRequest } from '../src/exchange.ts'

const NOW_MS = 1_790_000_000_000
const post = { method: 'POST', path: '/pay', headers: {}, body: '{"amount":"1"}' } as const

function open(baseUrl: string, options: Partial<Parameters<typeof openRailHttp>[0]> = {}) {
  const http = openRailHttp({
    baseUrl,
    connectTimeoutMs: 5_000,
    totalTimeoutMs: 60_000,
    maxConnections: 4,
    clock: () => NOW_MS,
    ...options,
  })
  onTestFinished(() => http.close())
  const send = (request: Partial<RailRequest> = {}) =>
    http.exchange({ ...post, signal: new AbortController().signal, ...request })
  return { send }
}

/** A TCP server that does one thing with each connection after its first byte, and counts connections. */
async function rawServer(onFirstByte: (socket: Socket) => void) {
  const seen = { connections: 0 }
  const server = createTcpServer((socket) => {
    seen.connections += 1
    socket.once('readable', () => onFirstByte(socket))
  })
  return { port: await listen(server), seen }
}

async function httpServer(onRequest: RequestListener) {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`)
    onRequest(request, response)
  })
  return { server, url: `http://127.0.0.1:${await listen(server)}`, seen }
}

/** A server that answers only when the test releases it. */
async function heldServer() {
  const waiting: ServerResponse[] = []
  const { server, url, seen } = await httpServer((_request, response) => {
    waiting.push(response)
    server.emit('held')
  })
  const release = () => {
    for (const response of waiting.splice(0)) response.end()
  }
  return { url, seen, release, held: () => once(server, 'held') }
}

const text = (bytes: Uint8Array | null | undefined) => (bytes ? Buffer.from(bytes).toString() : bytes)

describe('a request that cannot have reached the rail is reported as not sent', () => {
  test('refused', async () => {
    const { send } = open(`http://127.0.0.1:${await freePort()}`)
    expect(await send()).toEqual({ kind: 'fault', sent: false, errno: 'ECONNREFUSED' })
  })

  test('no such host', async () => {
    const { send } = open('http://rail.invalid', { connectTimeoutMs: 1_000 })
    expect(await send()).toEqual({
      kind: 'fault',
      sent: false,
      errno: expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT)$/),
    })
  })

  test('the TLS handshake is reset', async () => {
    const { port } = await rawServer((socket) => socket.resetAndDestroy())
    const { send } = open(`https://127.0.0.1:${port}`)
    expect(await send()).toEqual({ kind: 'fault', sent: false, errno: 'ECONNRESET' })
  })

  test('the TLS handshake fails', async () => {
    const server = createTlsServer({})
    server.on('tlsClientError', () => undefined)
    const { send } = open(`https://127.0.0.1:${await listen(server)}`)
    expect(await send()).toEqual({ kind: 'fault', sent: false, errno: expect.stringMatching(/^ERR_SSL_/) })
  })

  test('the TLS handshake hangs', async () => {
    const { port } = await rawServer(() => undefined)
    const { send } = open(`https://127.0.0.1:${port}`, { connectTimeoutMs: 50 })
    expect(await send()).toEqual({ kind: 'fault', sent: false, errno: 'UND_ERR_CONNECT_TIMEOUT' })
  })

  test('aborted before it started', async () => {
    const { url, seen } = await httpServer((_request, response) => response.end())
    const { send } = open(url)
    expect(await send({ signal: AbortSignal.abort() })).toEqual({
      kind: 'fault',
      sent: false,
      errno: 'TIMEOUT',
    })
    expect(seen).toEqual([])
  })

  test('aborted while it waited for a connection', async () => {
    const rail = await heldServer()
    const { send } = open(rail.url, { maxConnections: 1 })
    const first = send({ path: '/first' })
    await rail.held()
    const waiting = new AbortController()
    const second = send({ path: '/second', signal: waiting.signal })
    waiting.abort()
    expect(await second).toEqual({ kind: 'fault', sent: false, heldBack: true, errno: 'TIMEOUT' })
    rail.release()
    await first
    const third = send({ path: '/third' })
    await rail.held()
    rail.release()
    await third
    expect(rail.seen).toEqual(['POST /first', 'POST /third'])
  })

  test('its deadline passed while it waited for a connection, which stays usable', async () => {
    const rail = await heldServer()
    let nowMs = NOW_MS
    const { send } = open(rail.url, { maxConnections: 1, clock: () => nowMs })
    const first = send({ path: '/first' })
    await rail.held()
    const second = send({ path: '/second', notAfterMs: NOW_MS + 10 })
    const third = send({ path: '/third', notAfterMs: NOW_MS + 11 })
    nowMs = NOW_MS + 11
    rail.release()
    await first
    expect(await second).toEqual({ kind: 'fault', sent: false, heldBack: true, errno: 'PAST_DEADLINE' })
    await rail.held()
    rail.release()
    expect(await third).toEqual({ kind: 'answer', status: 200, body: Buffer.from('') })
    expect(rail.seen).toEqual(['POST /first', 'POST /third'])
  })

  test('too many requests already wait', async () => {
    const rail = await heldServer()
    const { send } = open(rail.url, { maxConnections: 1 })
    const all = new AbortController()
    const waiting = Array.from({ length: 8 }, () => send({ signal: all.signal }))
    await rail.held()
    expect(await send()).toEqual({ kind: 'fault', sent: false, heldBack: true, errno: 'QUEUE_FULL' })
    all.abort()
    const ends = await Promise.all(waiting)
    expect(ends.map((end) => end.kind === 'fault' && end.sent)).toEqual([true, ...Array(7).fill(false)])
    expect(rail.seen).toEqual(['POST /pay'])
  })

  test('its merchant has a quarter of the waiting places, so that another merchant can still wait', async () => {
    const rail = await heldServer()
    const { send } = open(rail.url, { maxConnections: 1 })
    const all = new AbortController()
    const waiting = Array.from({ length: 3 }, () => send({ owner: 'flood', signal: all.signal }))
    await rail.held()
    expect(await send({ owner: 'flood' })).toEqual({
      kind: 'fault',
      sent: false,
      heldBack: true,
      errno: 'QUEUE_FULL',
    })
    const other = send({ owner: 'shop', signal: all.signal })
    all.abort()
    expect(await other).toEqual({ kind: 'fault', sent: false, heldBack: true, errno: 'TIMEOUT' })
    await Promise.all(waiting)
  })

  test('the connections are closed', async () => {
    const http = openRailHttp({
      baseUrl: 'http://127.0.0.1:1',
      connectTimeoutMs: 1,
      totalTimeoutMs: 60_000,
      maxConnections: 1,
      clock: () => 0,
    })
    await http.close()
    expect(await http.exchange({ ...post, signal: new AbortController().signal })).toEqual({
      kind: 'fault',
      sent: false,
      errno: 'UND_ERR_DESTROYED',
    })
  })
})

test('merchants take turns for a connection that is free', async () => {
  const first = Promise.withResolvers<ServerResponse>()
  const { url, seen } = await httpServer((_request, response) =>
    seen.length === 1 ? first.resolve(response) : response.end(),
  )
  const { send } = open(url, { maxConnections: 1 })
  const ends = ['flood', 'flood', 'flood', 'shop'].map((owner) => send({ path: `/${owner}`, owner }))
  const held = await first.promise
  held.end()
  await Promise.all(ends)
  expect(seen).toEqual(['POST /flood', 'POST /flood', 'POST /shop', 'POST /flood'])
})

describe('a request that may have reached the rail is sent once', () => {
  test.each([
    ['reset with the request unread', 'ECONNRESET', (socket: Socket) => socket.resetAndDestroy()],
    [
      'reset with the request read',
      'ECONNRESET',
      (socket: Socket) => socket.once('data', () => socket.resetAndDestroy()),
    ],
    [
      'closed without an answer',
      'UND_ERR_SOCKET',
      (socket: Socket) => socket.once('data', () => socket.end()),
    ],
    ['garbage', 'HTTPParserError', (socket: Socket) => socket.end('\u0000\u0001lorem ipsum')],
    [
      'an interim answer alone',
      'UND_ERR_SOCKET',
      (socket: Socket) => socket.end('HTTP/1.1 102 Processing\r\n\r\n'),
    ],
    [
      'an unasked 100 Continue',
      'UND_ERR_SOCKET',
      (socket: Socket) =>
        socket.end('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n'),
    ],
    ['half a status line', 'UND_ERR_SOCKET', (socket: Socket) => socket.end('HTTP/1.1 2')],
    [
      'an upgrade',
      'UND_ERR_SOCKET',
      (socket: Socket) => socket.end('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    ],
  ])('%s', async (_case, errno, act) => {
    for (const method of ['POST', 'GET'] as const) {
      const { port, seen } = await rawServer(act)
      const { send } = open(`http://127.0.0.1:${port}`)
      expect(await send({ method })).toEqual({ kind: 'fault', sent: true, errno })
      expect(seen).toEqual({ connections: 1 })
    }
  })

  test('interim answers without end, of which it reads nine', async () => {
    const closed = Promise.withResolvers<void>()
    const { port, seen } = await rawServer((socket) => {
      const flood = 'HTTP/1.1 103 \r\n\r\n'.repeat(4_096)
      const write = () => {
        while (!socket.destroyed && socket.write(flood));
      }
      socket.on('error', () => undefined).on('close', () => closed.resolve())
      socket.on('drain', write).resume()
      write()
    })
    let heads = 0
    const count = () => {
      heads += 1
    }
    subscribe('undici:request:headers', count)
    onTestFinished(() => void unsubscribe('undici:request:headers', count))

    const signal = AbortSignal.timeout(20_000)
    expect(await open(`http://127.0.0.1:${port}`).send({ signal })).toEqual({
      kind: 'fault',
      sent: true,
      errno: 'INTERIM_ANSWERS',
    })
    await closed.promise
    expect({ heads, seen }).toEqual({ heads: 9, seen: { connections: 1 } })
  })

  test('no answer until it is aborted', async () => {
    const rail = await heldServer()
    const { send } = open(rail.url)
    const controller = new AbortController()
    const lost = send({ signal: controller.signal })
    await rail.held()
    controller.abort()
    expect(await lost).toEqual({ kind: 'fault', sent: true, errno: 'TIMEOUT' })
    expect(rail.seen).toEqual(['POST /pay'])
  })

  test('a kept connection that dies under its second request', async () => {
    const sockets = new Set<Socket>()
    const { url, seen } = await httpServer((request: IncomingMessage, response) => {
      if (sockets.has(request.socket)) request.socket.destroy()
      else response.end()
      sockets.add(request.socket)
    })
    const { send } = open(url, { maxConnections: 1 })
    expect(await send()).toEqual({ kind: 'answer', status: 200, body: Buffer.from('') })
    expect(await send()).toEqual({ kind: 'fault', sent: true, errno: 'UND_ERR_SOCKET' })
    expect(seen).toEqual(['POST /pay', 'POST /pay'])
    expect(sockets.size).toBe(1)
  })
})

describe('a status line stays valid, whatever follows it', () => {
  test.each([
    ['cut short', 'HTTP/1.1 202 Accepted\r\ncontent-length: 10\r\n\r\n{"a"', 202, null],
    ['a malformed chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n', 200, null],
    ['without a length', 'HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{"a":1}', 200, '{"a":1}'],
    [
      'after eight interim answers',
      `${'HTTP/1.1 102 Processing\r\n\r\n'.repeat(8)}HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n`,
      202,
      '',
    ],
  ])('%s', async (_case, answer, status, body) => {
    const { port } = await rawServer((socket) => socket.end(answer))
    const end = await open(`http://127.0.0.1:${port}`).send()
    expect(end.kind === 'answer' ? { status: end.status, body: text(end.body) } : end).toEqual({
      status,
      body,
    })
  })

  test('a body that never ends', async () => {
    const { url } = await httpServer((_request, response) => response.writeHead(200).write('{"sta'))
    const controller = new AbortController()
    const onHead = () => setImmediate(() => controller.abort())
    subscribe('undici:request:headers', onHead)
    onTestFinished(() => void unsubscribe('undici:request:headers', onHead))
    expect(await open(url).send({ signal: controller.signal })).toEqual({
      kind: 'answer',
      status: 200,
      body: null,
    })
  })

  test.each([
    [64 * 1024, true],
    [64 * 1024 + 1, false],
    [3_000_000, false],
  ])('a body of %d bytes is kept up to 64 KiB', async (size, isKept) => {
    const { url } = await httpServer((_request, response) => response.end('x'.repeat(size)))
    const end = await open(url).send()
    expect(end).toEqual({ kind: 'answer', status: 200, body: isKept ? Buffer.alloc(size, 'x') : null })
  })

  test('a redirect is an answer, and is not followed', async () => {
    const { url, seen } = await httpServer((_request, response) =>
      response.writeHead(302, { location: '/elsewhere' }).end(),
    )
    expect(await open(url).send()).toEqual({ kind: 'answer', status: 302, body: Buffer.from('') })
    expect(seen).toEqual(['POST /pay'])
  })
})

test('the path of the base URL comes before the path of the request', async () => {
  const { url, seen } = await httpServer((_request, response) => response.end())
  await open(`${url}/momo/`).send()
  expect(seen).toEqual(['POST /momo/pay'])
})

test.each([
  ['of one family', [{ address: '127.0.0.1', family: 4 }]],
  [
    'of both families',
    [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ],
  ],
] as const)(
  'a request survives the loss of its first packet if the addresses are %s',
  async (_, addresses) => {
    const rail = await startAfterLostSyn()
    const { send } = open(`http://rail.example:${rail.port}`, {
      connectTimeoutMs: 30_000,
      resolve: async () => addresses,
    })
    expect(await send()).toMatchObject({ kind: 'answer', status: 200 })
    expect(rail.lost()).toBe(true)
  },
)
