import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Replica } from './harness.ts'
import { until } from './rows.ts'

/** A request without a body, as bytes. */
export const bytesOf = (method: string, path: string, headers: Readonly<Record<string, string>> = {}) =>
  [
    `${method} ${path} HTTP/1.1`,
    'host: a',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n')

/** Both ends of a connection whose client has sent the bytes and reads no answer. */
export async function sendWithoutReading(
  { app, origin }: Pick<Replica, 'app' | 'origin'>,
  bytes: string,
): Promise<{ client: Socket; server: Socket }> {
  const accepted = once(app.server, 'connection')
  const { hostname, port } = new URL(origin)
  const client = connect(Number(port), hostname)
  onTestFinished(() => void client.destroy())
  client.on('error', () => undefined)
  client.pause()
  client.write(bytes)
  const [server] = (await accepted) as [Socket]
  return { client, server }
}

const document = bytesOf('GET', '/openapi/v1.json')

/** Sends requests for a long document until the kernels of both sides take no more, and returns how many they took. */
async function countOfKernels(api: Pick<Replica, 'app' | 'origin'>): Promise<number> {
  const { client, server } = await sendWithoutReading(api, document.repeat(100))
  await until(async () => server.writableLength > 0)
  client.destroy()
  return Math.floor(server.bytesWritten / server.writableLength) - 1
}

/**
 * Fills the kernels of both sides with long documents, all but the last. Then sends the request a hundred times, whose
 * answers are more than they still take.
 */
export async function fillWithAnswers(api: Pick<Replica, 'app' | 'origin'>, request: string, last = '') {
  const count = await countOfKernels(api)
  const ends = await sendWithoutReading(api, document.repeat(count - 1) + request.repeat(100) + last)
  await until(async () => ends.server.writableLength > 0)
  return ends
}
