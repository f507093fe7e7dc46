import { randomUUID } from 'node:crypto'
import { holdTransaction } from '@merchant-payments/testing'
import fastify from 'fastify'
import { afterAll, afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { AHEAD_MAX, serveInTurn } from '../../src/http/turns.ts'
import { createCustomer } from '../customer-steps.ts'
import { startTestApi } from '../harness.ts'
import { sendRaw } from '../raw.ts'
import { until } from '../rows.ts'
import { bytesOf, sendWithoutReading } from '../unread.ts'

/** Together more than the kernels of both sides keep. One read of a connection returns all requests for them. */
const LONG_ANSWERS = 60

const api = await startTestApi()
afterAll(() => api.stop())

const running = () => api.figure('requests_running{surface="v1_writes"}')
const waiting = () => api.figure('requests_waiting{surface="v1_writes"}')
afterEach(() => until(async () => (await running()) === 0 && (await waiting()) === 0))

const { id } = await createCustomer(api)
const auth = `authorization: Bearer ${await api.tokenFor('acme')}`

function update(name: string, ...headers: readonly string[]): string {
  const body = `name=${name}`
  return [
    `POST /v1/customers/${id} HTTP/1.1`,
    'host: a',
    auth,
    `idempotency-key: ${randomUUID()}`,
    'content-type: application/x-www-form-urlencoded',
    `content-length: ${body.length}`,
    ...headers,
    '',
    body,
  ].join('\r\n')
}

const lastUpdate = async () => (await api.call({ path: `/v1/customers/${id}` })).body.name

const lockCustomer = () =>
  holdTransaction(api.db, (tx) => tx.selectFrom('customers').select('id').forUpdate().execute())

describe('requests that a client pipelines', () => {
  test('run one after the other, and those of another connection beside them', async () => {
    const free = await lockCustomer()
    const answers = sendRaw(api.origin, update('a') + update('b') + update('c', 'connection: close'))
    await until(async () => (await running()) === 1)
    const other = api.call({ path: `/v1/customers/${id}`, form: 'name=other' })
    await until(async () => (await running()) === 2)
    expect(await waiting()).toBe(0)
    await free()
    expect((await answers).map(({ status, body }) => [status, body.name])).toEqual([
      [200, 'a'],
      [200, 'b'],
      [200, 'c'],
    ])
    expect(await other).toMatchObject({ status: 200 })
  })

  test('are all answered in order, however many reads of the connection they take', async () => {
    const wide = `x: ${'x'.repeat(2_000)}`
    const names = Array.from({ length: AHEAD_MAX + 2 }, (_, n) => String(n))
    const requests = names.map((name) => update(name, wide)).join('')
    const answers = await sendRaw(api.origin, requests + bytesOf('GET', '/healthz', { connection: 'close' }))
    expect(answers.slice(0, -1).map(({ body }) => body.name)).toEqual(names)
  })

  test('and abandons do not run', async () => {
    const free = await lockCustomer()
    const { client, server } = await sendWithoutReading(api, update('first') + update('never'))
    await until(async () => (await running()) === 1)
    client.resetAndDestroy()
    await free()
    await until(async () => server.closed)
    expect(await lastUpdate()).toBe('first')
  })

  test.each([
    ['line', 'noise\r\n\r\n'],
    ['request', `${bytesOf('POST', '/v1/customers', { 'transfer-encoding': 'chunked' })}zz\r\n`],
  ])(
    'and whose next %s cannot be read get no refusal that looks like the answer of one that runs',
    async (_, next) => {
      const free = await lockCustomer()
      const { client, server } = await sendWithoutReading(api, update('first'))
      await until(async () => (await running()) === 1)
      client.write(next)
      await until(async () => server.destroyed)
      expect(server.bytesWritten).toBe(0)
      await free()
      await until(async () => (await lastUpdate()) === 'first')
    },
  )

  test('wait until it has read the answers before them', async () => {
    const { client, server } = await sendWithoutReading(
      api,
      bytesOf('GET', '/openapi/v1.json').repeat(LONG_ANSWERS) + update('after'),
    )
    await until(async () => server.writableLength > 0)
    expect(await api.call({ path: `/v1/customers/${id}`, form: 'name=before' })).toMatchObject({
      status: 200,
    })
    client.resume()
    await until(async () => (await lastUpdate()) === 'after')
  })

  test('end with their connection if more wait than it may send ahead', async () => {
    const free = await lockCustomer()
    const { server } = await sendWithoutReading(
      api,
      update('first') + bytesOf('GET', '/healthz').repeat(AHEAD_MAX),
    )
    await until(async () => (await running()) === 1)
    const { server: other } = await sendWithoutReading(
      api,
      update('second') + bytesOf('GET', '/healthz').repeat(AHEAD_MAX + 1),
    )
    await until(async () => other.destroyed)
    expect(server.destroyed).toBe(false)
    await free()
  })
})

test('pipelined requests of all connections have a bound too, which closed connections give back', async () => {
  const app = fastify()
  serveInTurn(app, 3)
  const held = Promise.withResolvers<string>()
  let begun = 0
  app.get('/held', () => {
    begun += 1
    return held.promise
  })
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => app.close())
  const line = (count: number) =>
    bytesOf('GET', '/held').repeat(count) + bytesOf('GET', '/held', { connection: 'close' })
  const one = sendRaw(address, line(2))
  await until(async () => begun === 1)
  for (let n = 0; n < 3; n += 1) expect(await sendRaw(address, line(2))).toEqual([])
  held.resolve('ok')
  expect(await one).toHaveLength(3)
})
