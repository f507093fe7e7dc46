import { setTimeout as delay } from 'node:timers/promises'
import { holdTransaction } from '@merchant-payments/testing'
import { afterAll, describe, expect, test } from 'vitest'
import { readSessionInBrowser } from '../browser/calls.ts'
import { createCustomer, updateCustomerCall } from '../customer-steps.ts'
import { startStaffApi } from '../dash/staff.ts'
import { startTestApi } from '../harness.ts'
import { until } from '../rows.ts'
import { createSession } from '../sessions.ts'
import { createIntent } from '../steps.ts'
import { bytesOf, fillWithAnswers } from '../unread.ts'

const UNTAKEN_MAX_MS = 600

const api = await startStaffApi()
afterAll(() => api.stop())

const vera = await api.signInAs('vera')
const cookie = Array.from(vera.cookies, ([name, value]) => `${name}=${value}`).join('; ')
const authorization = `Bearer ${await api.tokenFor('acme')}`
await Promise.all(Array.from({ length: 100 }, () => createIntent(api)))
const url = `https://shop.example/${'%22'.repeat(2_000)}`
const session = await createSession(api, `&cancel_url=${url}&return_url=${url}`)
const shown = readSessionInBrowser(session.id, session.client_secret)

const running = (surface: string) => api.figure(`requests_running{surface="${surface}"}`)

test.each([
  ['v1_pages', bytesOf('GET', '/v1/payment_intents?limit=100', { authorization })],
  ['browser', bytesOf('GET', shown.path, shown.headers as Record<string, string>)],
  ['staff', bytesOf('GET', '/dash/v1/payment_intents?limit=100', { cookie })],
])('%s: an answer that its client does not read keeps its slot', async (surface, request) => {
  const unread = await fillWithAnswers(api, request)
  const left = await fillWithAnswers(api, request)
  expect(await running(surface)).toBe(2)
  left.client.resetAndDestroy()
  await until(async () => (await running(surface)) === 1)
  unread.client.resume()
  await until(async () => (await running(surface)) === 0)
})

describe('a connection', async () => {
  const hasty = await startTestApi({ untakenMaxMs: UNTAKEN_MAX_MS })
  afterAll(() => hasty.stop())
  const { id } = await createSession(hasty, `&cancel_url=${url}&return_url=${url}`)
  const request = bytesOf('GET', `/v1/checkout/sessions/${id}`, {
    authorization: `Bearer ${await hasty.tokenFor('acme')}`,
  })

  test('whose client takes nothing of its answer is closed, one that waits for its answer is not', async () => {
    const customer = await createCustomer(hasty)
    const free = await holdTransaction(hasty.db, (tx) =>
      tx.selectFrom('customers').select('id').forUpdate().execute(),
    )
    const waits = hasty.call(updateCustomerCall(customer.id, 'name=Ada'))
    const { server } = await fillWithAnswers(hasty, request)
    await until(async () => server.closed && (await hasty.figure('requests_running{surface="v1"}')) === 0)
    await free()
    expect(await waits).toMatchObject({ status: 200 })
  })

  test('whose client reads slowly but steadily is served to the end', async () => {
    const last = bytesOf('GET', '/healthz', { connection: 'close' })
    const { client } = await fillWithAnswers(hasty, request, last)
    const startedMs = Date.now()
    let text = ''
    for await (const chunk of client) {
      text += String(chunk)
      await delay(UNTAKEN_MAX_MS / 20)
    }
    expect(Date.now() - startedMs).toBeGreaterThan(2 * UNTAKEN_MAX_MS)
    expect(text).toMatch(/{"status":"ok"}$/)
  })
})
