import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Slow 3G. */
const ROUND_TRIP_MS = 400
const BYTES_PER_SEC = 400_000 / 8
/** A packet of such a line. Larger pieces would arrive late and all at once. */
const PACKET_BYTES = 1_400

export interface SlowLine {
  readonly origin: string
  readonly stop: () => Promise<void>
}

/**
 * A payer's line to a server: TLS and HTTP/2 as a load balancer speaks them, behind the round trips and the width of slow
 * 3G. The browser's own emulation delays requests only, so a handshake over it would take no time.
 */
export async function startSlowLine(target: string): Promise<SlowLine> {
  const balancer = createSecureServer(await certificate(), (asked, answer) => forward(target, asked, answer))
  const port = await listen(balancer)
  const sockets = new Set<Socket>()
  const up = narrow()
  const down = narrow()
  const line = createServer((client) => {
    const server = connect(port, '127.0.0.1')
    carry(client, server, up)
    carry(server, client, down)
    // The first packet comes a round trip after the connection was asked for.
    client.pause()
    setTimeout(() => client.resume(), ROUND_TRIP_MS)
    for (const socket of [client, server]) sockets.add(socket)
  })
  return {
    origin: `https://127.0.0.1:${await listen(line)}`,
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      line.close()
      balancer.close()
      await once(line, 'close')
    },
  }
}

/** Hands something over when as many bytes have passed. */
type Direction = (bytes: number, handOver: () => void) => void

/**
 * One direction of the line: packets wait for those before them, and keep their order. One timer serves all of them,
 * because timers of different lengths may fire in another order.
 */
function narrow(): Direction {
  const waiting: { readonly atMs: number; readonly handOver: () => void }[] = []
  let freeAtMs = 0

  function pass(): void {
    const nowMs = performance.now()
    while (waiting[0] !== undefined && waiting[0].atMs <= nowMs) waiting.shift()?.handOver()
    if (waiting[0] !== undefined) setTimeout(pass, waiting[0].atMs - nowMs)
  }

  return (bytes, handOver) => {
    freeAtMs = Math.max(freeAtMs, performance.now()) + (bytes / BYTES_PER_SEC) * 1_000
    waiting.push({ atMs: freeAtMs + ROUND_TRIP_MS / 2, handOver })
    if (waiting.length === 1) pass()
  }
}

function carry(from: Socket, to: Socket, direction: Direction): void {
  from.on('data', (data: Buffer) => {
    for (let at = 0; at < data.length; at += PACKET_BYTES) {
      const packet = data.subarray(at, at + PACKET_BYTES)
      direction(packet.length, () => to.write(packet))
    }
  })
  from.on('error', () => to.destroy())
  from.on('close', () => direction(0, () => to.destroy()))
}

function forward(target: string, asked: Http2ServerRequest, answer: Http2ServerResponse): void {
  const headers = Object.entries(asked.headers).filter(([name]) => !name.startsWith(':'))
  const upstream = request(
    target + asked.url,
    { method: asked.method, headers: Object.fromEntries(headers) },
    (found) => {
      const { connection: _, 'keep-alive': __, 'transfer-encoding': ___, ...passed } = found.headers
      answer.writeHead(found.statusCode ?? 502, passed)
      found.pipe(answer)
    },
  )
  upstream.on('error', () => answer.stream.close())
  asked.pipe(upstream)
}

async function certificate(): Promise<{ key: Buffer; cert: Buffer }> {
  const folder = await mkdtemp(join(tmpdir(), 'slow-line-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const shape = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-days',
    '1',
  ]
  await promisify(execFile)('openssl', [...shape, '-subj', '/CN=127.0.0.1', '-keyout', key, '-out', cert])
  const read = { key: await readFile(key), cert: await readFile(cert) }
  await rm(folder, { recursive: true })
  return read
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
