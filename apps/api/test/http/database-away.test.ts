import { randomUUID } from 'node:crypto'
import { cloneDatabase, openProxy, type Proxy } from '@merchant-payments/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { confirmInBrowser, readInBrowser } from '../browser/calls.ts'
import { beginSignIn, type StaffApi, startStaffApi } from '../dash/staff.ts'
import { prefixOf } from '../fuzz/targets.ts'
import { assertionOf, clients, clock, type Form, formOf, postToken, serviceKey } from '../oauth/merchants.ts'
import { bootReplica } from '../oauth/replica.ts'
import { createCall, createIntent } from '../steps.ts'
import { dashOperations, operations } from '../v1/operations.ts'

const HEX = '0193f2d5e0a07c3e9b1a2b3c4d5e6f70'
const pathOf = ({ path, params }: (typeof operations)[number]) =>
  path.replace('{id}', `${prefixOf({ params } as never) ?? ''}_${HEX}`)

/** The service behind a proxy that can cut and restore its database. */
async function startBehindProxy(options: Parameters<typeof startStaffApi>[0] = {}) {
  let proxy: Proxy | undefined
  const api: StaffApi = await startStaffApi({
    ...options,
    databaseBy: async (url) => {
      proxy = await openProxy(url)
      return proxy.url
    },
  })
  onTestFinished(() => api.stop())
  if (proxy === undefined) throw new Error('the service has no database')
  return { api, proxy }
}

describe('an unavailable database', () => {
  test('is a 503 on every route of every surface, and all work again afterwards', async () => {
    const { api, proxy } = await startBehindProxy()
    const intent = await createIntent(api)
    const ada = await api.signInAs('ada')
    proxy.cut()
    for (const operation of operations) {
      const path = pathOf(operation)
      const { method } = operation
      expect(await api.call({ method, path }), `${method} ${path}`).toBeRefusal('service_unavailable')
    }
    expect(await api.call(readInBrowser(intent.id, intent.client_secret))).toBeRefusal('service_unavailable')
    expect(await api.call(confirmInBrowser(intent.id, intent.client_secret))).toBeRefusal(
      'service_unavailable',
    )
    for (const { path } of dashOperations.filter(({ method }) => method === 'GET')) {
      const asked = path.replace('/dash/v1', '').replace('{id}', `pi_${HEX}`)
      expect(await ada.get(asked), `GET ${path}`).toBeRefusal('service_unavailable')
    }
    expect(await api.call({ path: '/v1/oauth/jwks.json', token: null })).toBeRefusal('service_unavailable')
    expect((await api.call({ path: '/healthz' })).status).toBe(200)

    await proxy.mend()
    expect((await api.call({ path: `/v1/payment_intents/${intent.id}` })).status).toBe(200)
    expect((await ada.get('/me')).status).toBe(200)
  })

  test('is a page with that status during a sign-in', async () => {
    const { api, proxy } = await startBehindProxy()
    const { browser, callback } = await beginSignIn(api, 'ada')
    proxy.cut()
    const page = await browser.go(callback)
    expect({ status: page.status, type: page.headers['content-type'] }).toEqual({
      status: 503,
      type: 'text/html; charset=utf-8',
    })
    expect(page.text).toContain('The service is unavailable')
  })

  test('is stored under no key: the same request succeeds afterwards, once', async () => {
    const { api, proxy } = await startBehindProxy()
    const call = createCall(undefined, { key: randomUUID() })
    proxy.cut()
    expect(await api.call(call)).toBeRefusal('service_unavailable')
    await proxy.mend()
    const answer = await api.call(call)
    expect(answer.status).toBe(201)
    expect(await api.call(call)).toReplay(answer)
  })

  test('is logged with its cause', async () => {
    const lines: string[] = []
    const { api, proxy } = await startBehindProxy({ onLogLine: (line) => lines.push(line) })
    proxy.cut()
    await api.call({ path: '/v1/events' })
    const line = lines.map((text) => JSON.parse(text) as object).find((told) => 'code' in told)
    expect(line).toMatchObject({
      level: 'error',
      status: 503,
      code: 'service_unavailable',
      err: { type: 'DatabaseAwayError', code: 'ECONNREFUSED' },
    })
  })

  test('is temporarily_unavailable at the token endpoint, and the next assertion is accepted afterwards', async () => {
    const database = await cloneDatabase()
    onTestFinished(() => database.drop())
    const proxy = await openProxy(database.appUrl)
    const key = { kid: 'service-1', privateKey: serviceKey.privateKey }
    const replica = await bootReplica({ databaseUrl: proxy.url, clock, key, clients })
    onTestFinished(() => replica[Symbol.asyncDispose]())
    const ask = (more: Form = {}) => postToken(replica, formOf({ client_assertion: assertionOf(), ...more }))
    proxy.cut()
    const refused = await ask()
    expect(refused).toMatchObject({ status: 503, body: { error: 'temporarily_unavailable' } })
    expect(Object.fromEntries(refused.headers)).toMatchObject({
      'compat-should-retry': 'true',
      'cache-control': 'no-store',
      'content-type': expect.stringContaining('application/json'),
    })
    expect(Object.keys(refused.body)).toEqual(['error', 'error_description'])
    await proxy.mend()
    expect((await ask()).status).toBe(200)
  })
})
