import { describe, expect, test } from 'vitest'
import { allowInsecureBaseUrl, createPayerClient } from '../src/index.ts'
import { fastClock, startServer } from './http-server.ts'
import { createService, INTENT_ID, INTENT_SECRET, PUBLISHABLE_KEY, type RailPlan } from './service.ts'

const ORDER = { rail: 'mtn_momo_cm', msisdn: '6 70 00 00 01' }

async function start(plan: RailPlan, breaks: ('before' | 'after' | null)[] = []) {
  const service = createService(fastClock, [plan])
  const { baseUrl, seen } = await startServer(service, breaks)
  const client = createPayerClient({
    baseUrl,
    clientSecret: INTENT_SECRET,
    publishableKey: PUBLISHABLE_KEY,
    clock: fastClock,
    [allowInsecureBaseUrl]: true,
  })
  return { client, service, seen }
}

describe('over real HTTP, with the fetch and the timers of the system', () => {
  test.each<[RailPlan, object]>([
    [{ submit: 'accepted', settleMs: 4_000 }, { outcome: 'succeeded' }],
    [{ submit: 'declined' }, { outcome: 'failed', code: 'payer_declined' }],
    [{ submit: 'accepted', outcome: 'never' }, { outcome: 'pending' }],
  ])('a charge that is %o ends as %o', async (plan, expected) => {
    const { client, seen } = await start(plan)
    expect(await client.pay(ORDER, { budgetMs: 15_000 })).toMatchObject(expected)
    const path = `/v1/browser/payment_intents/${INTENT_ID}`
    expect(seen.slice(0, 3)).toEqual([`GET ${path}`, `POST ${path}/confirm`, `GET ${path}`])
  })

  test('a payment is charged once if connections break before and after requests arrive', async () => {
    const { client, service } = await start({ submit: 'accepted', settleMs: 4_000 }, [
      'before',
      null,
      'before',
      null,
      'after',
      'before',
    ])
    expect(await client.pay(ORDER)).toMatchObject({ outcome: 'succeeded' })
    expect(service.charges.length).toBe(1)
  })
})
