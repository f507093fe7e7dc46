import { createServer } from 'node:http'
import type { FaultPoint } from '@merchant-payments/core'
import { cloneDatabase } from '@merchant-payments/testing'
import { listen } from '@merchant-payments/testing/listen'
import { savePayment } from '@merchant-payments/testing/operator'
import { createVerifier } from '@merchant-payments/webhook-verifier'
import { describe, expect, onTestFinished, test } from 'vitest'
import { MERCHANT, SECRET, useDatabase } from './harness.ts'
import { answerWith, startReceiver } from './receiver.ts'
import { startWorker } from './worker-process.ts'

const database = useDatabase()
const { query, insertEvent } = database

const idle = async () => {
  const left = `select (select count(*) from delivery_jobs)::integer as jobs,
    (select count(*) from fanout_jobs)::integer as events`
  while (JSON.stringify(await query(left)) !== '[{"jobs":0,"events":0}]') await new Promise(setImmediate)
}

test('a worker delivers, and on SIGTERM exits with status 0', async () => {
  const receiver = await startReceiver(answerWith(200))
  const worker = await startWorker({ databaseUrl: database.appUrl(), endpointUrl: receiver.url })
  const { internal } = await worker.said('ready')
  const { port } = internal as { port: number }
  const readiness = await fetch(`http://127.0.0.1:${port}/readyz`)
  expect(await readiness.json()).toMatchObject({ ready: true })

  const { id, body } = await insertEvent(Date.now())
  await idle()
  // The worker writes this line after its commit.
  await worker.said('webhook attempt')
  worker.kill('SIGTERM')

  expect(await worker.ended).toBe(0)
  expect(worker.lines.map(({ msg }) => msg)).toEqual(['ready', 'webhook attempt', 'stopping', 'stopped'])
  expect(worker.lines[1]).toEqual({
    level: 'info',
    time: expect.any(Number) as unknown,
    app: 'worker',
    msg: 'webhook attempt',
    request_id: 'req_of_the_event',
    delivery: expect.stringMatching(/^wd_[0-9a-f]{32}$/) as unknown,
    event: id,
    merchant: MERCHANT,
    endpoint: 'main',
    attempt: 1,
    status: 200,
    error: null,
    duration_ms: expect.any(Number) as unknown,
    became: 'succeeded',
  })
  const verifier = createVerifier({ secrets: SECRET })
  const [post] = receiver.posts
  expect(await verifier.verify(post?.body ?? '', post?.headers ?? {})).toEqual(JSON.parse(body))
})

test('a worker records when its build first ran', async () => {
  const receiver = await startReceiver(answerWith(200))
  const settings = { databaseUrl: database.appUrl(), endpointUrl: receiver.url, build: '1.2.0 abc' }
  await startWorker(settings)
  const builds = () => query('select app, build from builds')
  await expect.poll(builds).toEqual([{ app: 'worker', build: '1.2.0 abc' }])
})

test('an alert is one structured line, with ids and no address', async () => {
  const receiver = await startReceiver(answerWith(500))
  const { id } = await insertEvent(Date.now())
  const settings = { databaseUrl: database.appUrl(), endpointUrl: receiver.url }
  const first = await startWorker(settings)
  await receiver.received(1)
  first.kill('SIGTERM')
  await first.ended
  await query('update deliveries set attempts = 7')

  const worker = await startWorker({ ...settings, clockOffsetMs: 10_000 })
  const line = await worker.said('webhook_exhausted')
  worker.kill('SIGTERM')
  await worker.ended

  expect(line).toEqual({
    level: 'error',
    time: expect.any(Number) as unknown,
    app: 'worker',
    msg: 'webhook_exhausted',
    alert: 'webhook_exhausted',
    delivery: expect.stringMatching(/^wd_[0-9a-f]{32}$/) as unknown,
    event: id,
    merchant: MERCHANT,
    endpoint: 'main',
    attempts: 8,
    status: 500,
    error: null,
  })
  expect(worker.lines.filter(({ alert }) => alert !== undefined)).toEqual([line])
})

test('a worker that is killed right after a delivery is exhausted loses no item of the inbox', async () => {
  const receiver = await startReceiver(answerWith(500))
  const settings = { databaseUrl: database.appUrl(), endpointUrl: receiver.url }
  await insertEvent(Date.now())
  expect(await (await startWorker({ ...settings, faultPoint: 'deliver.claimed' })).ended).toBe('SIGKILL')
  await query('update deliveries set attempts = 7')
  const doomed = await startWorker({ ...settings, clockOffsetMs: 60_000, faultPoint: 'deliver.committed' })
  expect(await doomed.ended).toBe('SIGKILL')
  expect(await query('select status from deliveries')).toEqual([{ status: 'exhausted' }])

  const successor = await startWorker({ ...settings, clockOffsetMs: 120_000 })
  await successor.said('ready')
  while ((await query('select from attention_items')).length === 0) await new Promise(setImmediate)
  successor.kill('SIGTERM')
  await successor.ended

  expect(await query('select alert, status, times from attention_items')).toEqual([
    { alert: 'webhook_exhausted', status: 'open', times: 1 },
  ])
})

/** Each listener takes a second, as on a busy machine. A pass needs less to claim its work. */
const listenLate = `import { Server } from 'node:net'
  const { listen } = Server.prototype
  Server.prototype.listen = function (...at) {
    setTimeout(() => listen.apply(this, at), 1_000)
    return this
  }`

test('a worker that finds its port in use runs no pass before it ends', async () => {
  const port = await listen(createServer())
  await insertEvent(Date.now())

  const settings = { databaseUrl: database.appUrl(), endpointUrl: 'http://127.0.0.1:9/' }
  const worker = await startWorker({ ...settings, internalPort: port, before: listenLate })
  expect(await worker.ended).toBe(69)
  expect(await query('select from deliveries')).toEqual([])
})

test('a worker that waits for its database ends on SIGTERM with status 0', async () => {
  // No server listens there.
  const settings = { databaseUrl: 'postgres://127.0.0.1:1/payments', endpointUrl: 'http://127.0.0.1:9/' }
  const worker = await startWorker(settings)
  await worker.said('waiting for the database')
  worker.kill('SIGTERM')
  expect(await worker.ended).toBe(0)
  expect(worker.lines.at(-1)).toMatchObject({ msg: 'stopped' })
})

test('a second signal ends the worker at once, whatever is running', async () => {
  const receiver = await startReceiver(() => undefined)
  const worker = await startWorker({ databaseUrl: database.appUrl(), endpointUrl: receiver.url })
  await insertEvent(Date.now())
  await receiver.received(1)

  worker.kill('SIGTERM')
  await worker.said('stopping')
  worker.kill('SIGTERM')

  expect(await worker.ended).toBe(1)
})

const points: FaultPoint[] = [
  'fanout.claimed',
  'fanout.committed',
  'deliver.claimed',
  'deliver.posted',
  'deliver.committed',
]

describe('in livemode', () => {
  test('a database role that is a superuser is refused with status 78', async () => {
    const worker = await startWorker({ databaseUrl: database.url(), endpointUrl: '', livemode: true })
    expect([await worker.ended, worker.lines]).toEqual([78, []])
    expect(await worker.complaints).toMatch(/^database\.url: connects as \w+, a superuser\n$/)
  })

  test('a database with payments of testmode is refused with status 78', async () => {
    const { url, appUrl, drop } = await cloneDatabase()
    onTestFinished(drop)
    await savePayment(url, false)
    const worker = await startWorker({ databaseUrl: appUrl, endpointUrl: '', livemode: true })
    expect([await worker.ended, worker.lines]).toEqual([78, []])
    expect(await worker.complaints).toBe(
      'database.url: has payments of testmode; each mode needs a database of its own\n',
    )
  })

  test('the app role is accepted', async () => {
    const worker = await startWorker({ databaseUrl: database.appUrl(), endpointUrl: '', livemode: true })
    expect(await worker.said('ready')).toMatchObject({ level: 'info' })
  })
})

test.each(points)(
  'a worker that is killed at %s loses nothing: its successor delivers',
  async (faultPoint) => {
    const receiver = await startReceiver(answerWith(200))
    const settings = { databaseUrl: database.appUrl(), endpointUrl: receiver.url }
    const { id, body } = await insertEvent(Date.now())
    const doomed = await startWorker({ ...settings, faultPoint })
    expect(await doomed.ended).toBe('SIGKILL')

    // A minute later, the dead worker's leases have ended.
    const successor = await startWorker({ ...settings, clockOffsetMs: 60_000 })
    await successor.said('ready')
    await idle()
    successor.kill('SIGTERM')
    expect(await successor.ended).toBe(0)

    expect(await query('select status, attempts from deliveries')).toEqual([
      { status: 'succeeded', attempts: 1 },
    ])
    // Delivery is at least once: only a death between the answer and its record sends twice.
    const posts = faultPoint === 'deliver.posted' ? 2 : 1
    expect(receiver.posts.map((post) => [post.headers['service-event-id'], post.body])).toEqual(
      Array.from({ length: posts }, () => [id, body]),
    )
  },
)
