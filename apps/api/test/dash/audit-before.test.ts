import { connect as connectTo } from '@merchant-payments/testing/client'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { openInvoice } from '../bills.ts'
import { uuidOf } from '../rows.ts'
import { canceledIntent, confirmedIntent, createIntent, succeededIntent } from '../steps.ts'
import { startStaffApi } from './staff.ts'
import { attempt, failFanouts, fanOutToMain } from './webhooks.ts'

const api = await startStaffApi()
const [omar, olga, ada] = [await api.signInAs('omar'), await api.signInAs('olga'), await api.signInAs('ada')]
afterAll(() => api.stop())

const newestOf = async (list: string): Promise<string> => (await omar.get(`/${list}?limit=1`)).body.data[0].id

async function exhaustedDelivery(): Promise<string> {
  await canceledIntent(api)
  await fanOutToMain(api)
  await attempt(api, 'refused')
  return newestOf('deliveries')
}

async function failedFanout(): Promise<string> {
  await canceledIntent(api)
  await failFanouts(api)
  return newestOf('fanouts')
}

describe('what an audit entry says of an object before its change', () => {
  test('is what the refund before it has left, of refunds at once', async () => {
    const { id } = await succeededIntent(api)
    const refunds = await Promise.all(
      [omar, olga, ada, omar, olga, ada].map((who) =>
        who.post(`/payment_intents/${id}/refund`, { amount: '5', reason: 'At once.' }),
      ),
    )
    expect(refunds.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 200))
    const before = refunds.map(({ body }) => body.before.refund_reserved as number)
    expect(before.toSorted((a, b) => a - b)).toEqual([0, 5, 10, 15, 20, 25])
  })

  test.each([
    {
      object: 'an invoice',
      make: async () => (await openInvoice(api)).id,
      path: (id: string) => `/invoices/${id}/void`,
      meanwhile: `update invoices set status = 'uncollectible', marked_uncollectible_at = now(), revision = revision + 1
        where id = $1`,
      before: { status: 'uncollectible' },
    },
    {
      object: 'a payment',
      make: async () => (await createIntent(api)).id,
      path: (id: string) => `/payment_intents/${id}/cancel`,
      meanwhile: `update payment_intents set status = 'processing', revision = revision + 1 where id = $1`,
      before: { status: 'processing' },
    },
    {
      object: 'the schedule of a charge',
      make: async () => {
        const { id } = await confirmedIntent(api, 'staysPending')
        return (await omar.get(`/payment_intents/${id}`)).body.charges[0].id
      },
      path: (id: string) => `/charges/${id}/query`,
      meanwhile: `update charge_jobs set due_at = '2100-01-01T00:00:00Z' where charge_id = $1`,
      before: { next_query_at: Date.UTC(2100, 0, 1) / 1_000 },
    },
    {
      object: 'a delivery',
      make: exhaustedDelivery,
      path: (id: string) => `/deliveries/${id}/replay`,
      meanwhile: 'update deliveries set attempts = 7 where id = $1',
      before: { attempts: 7 },
    },
    {
      object: 'a fan-out',
      make: failedFanout,
      path: (id: string) => `/fanouts/${id}/retry`,
      meanwhile: 'update fanout_jobs set failures = 4 where event_id = $1',
      before: { failures: 4 },
    },
  ])('is what another change has left of $object while this one waited', async (changed) => {
    const id = await changed.make()
    const other = await connectTo(api.databaseUrl)
    onTestFinished(() => other.end())
    await other.query('begin')
    await other.query(changed.meanwhile, [uuidOf(id)])
    const answer = omar.post(changed.path(id), { reason: 'A test.' })
    const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await expect.poll(async () => (await other.query(waits)).rowCount, { timeout: 10_000 }).toBe(1)
    await other.query('commit')
    const { status, body } = await answer
    expect({ status, body }).toMatchObject({ status: 200, body: { before: changed.before } })
  })
})
