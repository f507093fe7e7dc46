import { afterAll, expect, test } from 'vitest'
import { createCustomer } from '../customer-steps.ts'
import { anyRefund } from '../refunds.ts'
import { canceledIntent, createIntent } from '../steps.ts'
import { startStaffApi } from './staff.ts'
import { attempt, fanOutToMain } from './webhooks.ts'

const api = await startStaffApi()
const vera = await api.signInAs('vera')
for (const merchant of ['acme', 'globex', 'acme', 'globex', 'acme']) {
  await createIntent(api, '', { merchant })
  await createCustomer(api, 'name=Awa', { merchant })
}
await anyRefund(api)
await anyRefund(api)
await canceledIntent(api)
await fanOutToMain(api)
await attempt(api, 'refused')
afterAll(() => api.stop())

interface Listed {
  readonly has_more: boolean
  readonly ids: string[]
}

async function list(path: string): Promise<Listed> {
  const { body } = await vera.get(path)
  return { has_more: body.has_more, ids: body.data.map(({ id }: { id: string }) => id) }
}

test.each([
  '/payment_intents',
  '/charges',
  '/refunds',
  '/customers',
  '/events',
  '/deliveries',
  '/audit_entries',
  '/attention_items',
  '/bulk_jobs',
  '/approval_requests',
  '/invoices',
  '/fanouts',
])('%s has the same objects in both orders', async (path) => {
  const newest = await list(`${path}?limit=100`)
  const oldest = await list(`${path}?limit=100&order=oldest`)
  expect(oldest).toEqual({ has_more: false, ids: newest.ids.toReversed() })
})

test('the oldest payments of all merchants are paged through, and back', async () => {
  const { ids } = await list('/payment_intents?limit=100')
  const all = ids.toReversed()
  const pages: string[][] = []
  let after = ''
  for (let more = true; more; ) {
    const page = await list(`/payment_intents?order=oldest&limit=3${after}`)
    pages.push(page.ids)
    after = `&starting_after=${page.ids.at(-1)}`
    more = page.has_more
  }
  expect(pages.flat()).toEqual(all)
  const back = await list(`/payment_intents?order=oldest&limit=3&ending_before=${all[4]}`)
  expect(back).toEqual({ ids: all.slice(1, 4), has_more: true })
  const first = await list(`/payment_intents?order=oldest&limit=3&ending_before=${all[2]}`)
  expect(first).toEqual({ ids: all.slice(0, 2), has_more: false })
})

test('another order is a 400', async () => {
  expect(await vera.get('/payment_intents?order=amount')).toBeRefusal('invalid_request', 'order')
})
