import { openTestDatabase } from '@merchant-payments/db/testing'
import { cloneDatabase, openProxy, type Proxy } from '@merchant-payments/testing'
import { listen } from '@merchant-payments/testing/listen'
import { setReadOnly } from '@merchant-payments/testing/operator'
import { expect, onTestFinished, test } from 'vitest'
import { internalServer } from '../src/internal.ts'

async function startBehindProxy() {
  const database = await cloneDatabase()
  onTestFinished(() => database.drop())
  const proxy = await openProxy(database.appUrl)
  const db = openTestDatabase(proxy.url, { readConnections: 1, queryTimeoutMs: 4_000 })
  onTestFinished(() => db.close())
  const port = await listen(internalServer(db, { stopping: false }))
  const ask = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`)
    return { status: response.status, body: await response.json() }
  }
  return { proxy, ask, isReady: () => ask('/readyz'), ownerUrl: database.url }
}

test.each<[string, (proxy: Proxy) => void, (proxy: Proxy) => Promise<void>]>([
  ['is away', (proxy) => proxy.cut(), (proxy) => proxy.mend()],
  ['falls silent', (proxy) => proxy.silence(), () => Promise.resolve()],
])('an API whose database %s is not ready, and is ready again when it answers', async (_case, lose, mend) => {
  const { proxy, isReady } = await startBehindProxy()
  expect(await isReady()).toEqual({ status: 200, body: { ready: true } })
  lose(proxy)
  expect(await isReady()).toEqual({ status: 503, body: { ready: false } })
  await mend(proxy)
  await expect.poll(isReady).toEqual({ status: 200, body: { ready: true } })
})

test('an API whose database is away is alive', async () => {
  const { proxy, ask } = await startBehindProxy()
  proxy.cut()
  expect(await ask('/healthz')).toEqual({ status: 200, body: { status: 'ok' } })
})

test('an API whose database takes no writes is not ready, and is ready again once it does', async () => {
  const { isReady, ownerUrl } = await startBehindProxy()
  expect((await isReady()).status).toBe(200)
  await setReadOnly(ownerUrl, 'on')
  await expect.poll(isReady).toEqual({ status: 503, body: { ready: false } })
  await setReadOnly(ownerUrl, 'off')
  await expect.poll(isReady).toEqual({ status: 200, body: { ready: true } })
})

test('the internal port of an API serves no other path', async () => {
  const { ask } = await startBehindProxy()
  expect(await ask('/v1')).toEqual({ status: 404, body: { error: 'unknown_route' } })
})
