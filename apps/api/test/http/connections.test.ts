import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { startTestApi } from '../harness.ts'
import { until } from '../rows.ts'

const MAX = 4
/** Together more than the kernels of both sides keep. */
const LONG_ANSWERS = 40

const api = await startTestApi({ connectionsMax: MAX })
afterAll(() => api.stop())

const accepted: Socket[] = []
api.app.server.on('connection', (socket: Socket) => accepted.push(socket))
const stalled = () =>
  accepted.filter(({ destroyed, writableLength }) => !destroyed && writableLength > 0).length

const { hostname, port } = new URL(api.origin)
const opened: Socket[] = []
const connections = () =>
  new Promise<number>((resolve) => api.app.server.getConnections((_, n) => resolve(n)))
afterEach(async () => {
  for (const socket of opened.splice(0)) socket.destroy()
  await until(async () => (await connections()) === 0)
})

/** An accepted connection, and the data received on it. */
async function open(bytes = '') {
  const before = await connections()
  const socket = connect(Number(port), hostname)
  opened.push(socket)
  const seen = { text: '', closed: false }
  socket.on('data', (chunk: Buffer) => (seen.text += chunk.toString()))
  socket.on('error', () => undefined)
  socket.once('close', () => (seen.closed = true))
  await once(socket, 'connect')
  if (bytes !== '') socket.write(bytes)
  await until(async () => seen.closed || (await connections()) !== before || before >= MAX - 1)
  return { socket, seen }
}

const ask = 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'
const answered = (seen: { text: string }) => until(async () => seen.text.includes('{"status":"ok"}'))

describe('at the maximum number of connections', () => {
  test.each([
    ['idle since they were opened', ''],
    ['slow with their headers', 'GET /healthz HTTP/1.1\r\nhost:'],
    ['slow with their bodies', 'POST /healthz HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n'],
  ])('those that are %s block nobody: the one that was quiet longest is closed', async (_, bytes) => {
    const quiet: Awaited<ReturnType<typeof open>>[] = []
    for (let n = 0; n < MAX - 1; n += 1) quiet.push(await open(bytes))
    const one = await open(ask)
    await answered(one.seen)
    await until(async () => quiet[0]?.seen.closed === true)
    const two = await open(ask)
    await answered(two.seen)
    await until(async () => quiet[1]?.seen.closed === true)
    expect([quiet[2]?.seen.closed, one.seen.closed, two.seen.closed]).toEqual([false, false, false])
    expect(await connections()).toBeLessThan(MAX)
  })

  test('those whose clients do not take their answers block nobody: the oldest is closed', async () => {
    for (let n = 1; n <= MAX; n += 1) {
      const { socket } = await open()
      socket.pause()
      socket.write('GET /openapi/v1.json HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(LONG_ANSWERS))
      await until(async () => stalled() >= Math.min(n, MAX - 1))
    }
    await answered((await open(ask)).seen)
    await answered((await open(ask)).seen)
    expect(await connections()).toBeLessThan(MAX)
  })

  test('a recently used one stays open longer than an idle one', async () => {
    const [one, two] = [await open(ask), await open(ask)]
    await Promise.all([one, two].map(({ seen }) => answered(seen)))
    one.seen.text = ''
    one.socket.write(ask)
    await answered(one.seen)
    await open(ask)
    await open(ask)
    await until(async () => two.seen.closed)
    expect(one.seen.closed).toBe(false)
  })
})

test('a request whose headers or body do not arrive, and an answer that nobody takes, end in bounded time', () => {
  const { headersTimeout, requestTimeout, timeout } = api.app.server
  expect({ headersTimeout, requestTimeout, timeout }).toEqual({
    headersTimeout: 15_000,
    requestTimeout: 30_000,
    timeout: 120_000,
  })
})
