import { createServer } from 'node:http'
import { createResolve } from '@merchant-payments/names'
import { listen } from '@merchant-payments/testing/listen'
import { startNameServer } from '@merchant-payments/testing/name-server'
import { expect, onTestFinished, test } from 'vitest'
import { openRailHttp } from '../src/exchange.ts'
import { LAST_ADDRESSES_MAX_AGE_MS } from '../src/last-addresses.ts'

type Names = Parameters<typeof startNameServer>[0]

const answered = { kind: 'answer', status: 200, body: Buffer.from('ok') }
const unanswered = { kind: 'fault', sent: false, errno: 'EAI_AGAIN' }

/** A rail that closes each connection after its answer, so that each request looks up the rail's name. */
async function openRails(names: Names, limitMs: number) {
  const nameServer = await startNameServer(names)
  const seen: (string | undefined)[] = []
  const port = await listen(
    createServer((request, response) => {
      seen.push(request.headers.host)
      response.writeHead(200, { connection: 'close' }).end('ok')
    }),
  )
  let nowMs = 0
  const resolve = createResolve({ servers: [nameServer.address], limitMs })
  const open = (host: string) => {
    const left = new AbortController()
    const http = openRailHttp({
      baseUrl: `http://${host}:${port}`,
      connectTimeoutMs: 60_000,
      totalTimeoutMs: 60_000,
      maxConnections: 4,
      clock: () => nowMs,
      resolve: (host) => resolve(host, left.signal),
    })
    onTestFinished(() => {
      left.abort()
      return http.close()
    })
    return () => http.exchange({ method: 'GET', path: '/', headers: {}, signal: left.signal })
  }
  return { nameServer, seen, port, open, passMs: (ms: number) => (nowMs += ms) }
}

test('rails whose name server is silent delay no other rail', async () => {
  const dead = Array.from({ length: 8 }, (_, n) => `rail${n}.dead.example`)
  const silent = Object.fromEntries(dead.map((name) => [name, 'silent' as const]))
  const { nameServer, open, seen, port } = await openRails(
    { ...silent, 'rail.example': ['127.0.0.1'] },
    60_000,
  )
  let ended = 0
  for (const host of dead) void open(host)().finally(() => (ended += 1))
  await expect.poll(() => nameServer.asked()).toEqual(expect.arrayContaining(dead))

  expect(await open('rail.example')()).toEqual(answered)
  expect(await open('127.0.0.1')()).toEqual(answered)
  expect({ ended, seen }).toEqual({ ended: 0, seen: [`rail.example:${port}`, `127.0.0.1:${port}`] })
})

test('a rail that was reached before is reached while its name server is silent, for a bounded time', async () => {
  const { nameServer, open, passMs } = await openRails({ 'rail.example': ['127.0.0.1'] }, 100)
  const [ask, askAnother] = [open('rail.example'), open('rail.example')]
  expect(await ask()).toEqual(answered)

  nameServer.silence()
  passMs(LAST_ADDRESSES_MAX_AGE_MS)
  expect(await ask()).toEqual(answered)
  expect(await askAnother()).toEqual(unanswered)
  passMs(1)
  expect(await ask()).toEqual(unanswered)
})
