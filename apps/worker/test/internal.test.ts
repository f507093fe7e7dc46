import { openProxy } from '@merchant-payments/testing'
import { listen } from '@merchant-payments/testing/listen'
import { expect, onTestFinished, test } from 'vitest'
import { internalServer } from '../src/internal.ts'
import { openTestDatabase, START_MS, useDatabase } from './harness.ts'

const database = useDatabase()

interface Options {
  readonly databaseUrl?: string
  readonly stopping?: boolean
  readonly starting?: boolean
  readonly overdue?: readonly string[]
}

async function listening(options: Options = {}) {
  const db = openTestDatabase(options.databaseUrl ?? database.appUrl())
  const server = internalServer({
    db,
    clock: () => START_MS,
    schedule: () =>
      options.starting === true
        ? undefined
        : {
            lastEnds: () =>
              new Map([
                ['fan-out-events', START_MS - 150],
                ['deliver-webhooks', null],
              ]),
            overdue: () => options.overdue ?? [],
          },
    stopping: () => options.stopping ?? false,
  })
  onTestFinished(() => db.close())
  const port = await listen(server)
  return async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`)
    return { status: response.status, body: await response.json() }
  }
}

const ages = { 'fan-out-events': 150, 'deliver-webhooks': null }

test('a worker with its database is ready, and reports how long ago each pass ended', async () => {
  const get = await listening()
  expect(await get('/readyz')).toEqual({ status: 200, body: { ready: true, last_pass_ages_ms: ages } })
})

test('a worker whose passes do not run yet is alive but not ready', async () => {
  const get = await listening({ starting: true })
  expect(await get('/healthz')).toEqual({ status: 200, body: { status: 'ok' } })
  expect(await get('/readyz')).toEqual({ status: 503, body: { ready: false, last_pass_ages_ms: {} } })
})

test('a worker that is stopping is not ready', async () => {
  const get = await listening({ stopping: true })
  expect(await get('/readyz')).toEqual({ status: 503, body: { ready: false, last_pass_ages_ms: ages } })
})

test('a worker without its database is alive but not ready', async () => {
  const wire = await openProxy(database.appUrl())
  const get = await listening({ databaseUrl: wire.url })
  wire.cut()

  expect(await get('/healthz')).toEqual({ status: 200, body: { status: 'ok' } })
  expect(await get('/readyz')).toEqual({ status: 503, body: { ready: false, last_pass_ages_ms: ages } })
})

test('a worker with an overdue pass is neither alive nor ready', async () => {
  const get = await listening({ overdue: ['settle-charges'] })

  expect(await get('/healthz')).toEqual({
    status: 503,
    body: { status: 'pass_overdue', passes: ['settle-charges'] },
  })
  expect(await get('/readyz')).toEqual({ status: 503, body: { ready: false, last_pass_ages_ms: ages } })
})

test('no other path is served', async () => {
  const get = await listening()
  expect(await get('/')).toEqual({ status: 404, body: { error: 'unknown_route' } })
})
