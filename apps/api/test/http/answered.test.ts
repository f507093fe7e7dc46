import { once } from 'node:events'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import fastify from 'fastify'
import { afterAll, expect, test } from 'vitest'
import { onAnswered } from '../../src/http/answered.ts'

/** More than the kernels of both sides keep. */
const LONG_BYTES = 64 * 1_024 * 1_024

const reported: string[] = []
const app = fastify()
onAnswered(app, ({ url }, { statusCode }) => void reported.push(`${url} ${statusCode}`))
const held = Promise.withResolvers<void>()
app.get('/short', () => 'ok')
app.get('/held', () => held.promise.then(() => 'ok'))
app.get('/long', () => Buffer.alloc(LONG_BYTES))
app.get('/stream', (_request, reply) =>
  reply.send(Readable.from(Array.from({ length: LONG_BYTES / 65_536 }, () => Buffer.alloc(65_536)))),
)
const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
afterAll(() => app.close())

/** Asks for a path, and breaks the connection once the server `has` it. */
async function leave(
  path: string,
  has: (socket: ReturnType<typeof connect>) => Promise<unknown>,
): Promise<void> {
  const socket = connect(Number(port), '127.0.0.1')
  socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`)
  await has(socket)
  socket.resetAndDestroy()
  await once(socket, 'close')
}

const arrived = (path: string) => once(app.server, 'request').then(() => path)
const begun = (socket: ReturnType<typeof connect>) => once(socket, 'data')

test('an answer is reported once', async () => {
  await (await fetch(`http://127.0.0.1:${port}/short`)).text()
  await expect.poll(() => reported.splice(0)).toEqual(['/short 200'])
})

test('an answer is also reported if the client disconnects before it is sent', async () => {
  await leave('/held', () => arrived('/held'))
  held.resolve()
  await expect.poll(() => reported.splice(0)).toEqual(['/held 200'])
})

test.each(['/long', '/stream'])(
  'an answer is also reported if the client disconnects while it is sent: %s',
  async (path) => {
    await leave(path, begun)
    await expect.poll(() => reported.splice(0)).toEqual([`${path} 200`])
  },
)
