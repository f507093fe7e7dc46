import { afterAll, expect, test } from 'vitest'
import { readSessionInBrowser } from '../browser/calls.ts'
import { startStaffApi } from '../dash/staff.ts'
import { until } from '../rows.ts'
import { createSession } from '../sessions.ts'
import { createIntent } from '../steps.ts'
import { bytesOf, fillWithAnswers } from '../unread.ts'

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
