import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { openConnections, requestOf } from './connection.ts'

/** Two answers over the same connection. */
async function answersOf(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const [connection] = await openConnections([(server.address() as AddressInfo).port], 1)
  const request = requestOf('POST', '/', {}, 'amount=1000')
  const answers = [await connection?.exchange(request), await connection?.exchange(request)]
  connection?.close()
  server.close()
  return answers
}

test('an answer in chunks is read to its end, before the next one', async () => {
  const chunks = ['{"id":', 'x'.repeat(100_000), '}']
  const answers = await answersOf((_, response) => {
    response.writeHead(200)
    for (const chunk of chunks) response.write(chunk)
    response.end()
  })
  const answer = { status: 200, body: chunks.join('') }
  expect(answers).toEqual([answer, answer])
})

test('an answer with a length is read to its end, before the next one', async () => {
  const body = 'x'.repeat(100_000)
  const answers = await answersOf((_, response) =>
    response.writeHead(201, { 'content-length': body.length }).end(body),
  )
  expect(answers).toEqual([
    { status: 201, body },
    { status: 201, body },
  ])
})
