import { afterAll, describe, expect, test } from 'vitest'
import { canceledIntent, createIntent, succeededIntent } from '../steps.ts'
import { startStaffApi } from './staff.ts'
import { attempt, fanOutToMain } from './webhooks.ts'

const api = await startStaffApi()
const vera = await api.signInAs('vera')
afterAll(() => api.stop())

const lastDay = () => Math.floor((api.clock() - 86_400_000) / 1_000)
const acme = async () => (await vera.get('/merchant_clients/acme')).body

describe('dash.merchantClients.retrieve', () => {
  test('200: with its payments of the last day, and the health of its endpoints', async () => {
    expect((await acme()).endpoints).toEqual([
      {
        id: 'main',
        url: 'https://acme.example/hooks',
        secrets: 1,
        attempts: 0,
        succeeded: 0,
        p50_ms: null,
        p95_ms: null,
        last_success_at: null,
        is_cut: false,
        failures: [],
        exhausted: 0,
        due: 0,
      },
    ])
    await succeededIntent(api)
    await createIntent(api)
    await createIntent(api, '', { merchant: 'globex' })
    await fanOutToMain(api)
    await attempt(api, 'succeeded')
    await canceledIntent(api)
    await fanOutToMain(api)
    await attempt(api, 'refused')
    await canceledIntent(api)
    await fanOutToMain(api)
    const before = lastDay()
    const { endpoints, volume, disabled, since, counted_at_most: most } = await acme()
    expect(most).toBe(5_000)
    expect(disabled).toBeNull()
    expect(since).toBeGreaterThanOrEqual(before)
    expect(since).toBeLessThanOrEqual(lastDay())
    expect(volume).toEqual([
      { status: 'canceled', currency: 'XAF', count: 2, amount: 10_000 },
      { status: 'requires_payment_method', currency: 'XAF', count: 1, amount: 5_000 },
      { status: 'succeeded', currency: 'XAF', count: 1, amount: 5_000 },
    ])
    const [{ attempts, succeeded, ...health }] = endpoints
    expect(attempts - succeeded).toBeGreaterThan(0)
    expect(succeeded).toBeGreaterThan(0)
    expect(health).toMatchObject({
      p50_ms: 12,
      p95_ms: 12,
      last_success_at: expect.any(Number),
      failures: [{ cause: 'guarded', count: attempts - succeeded }],
      exhausted: attempts - succeeded,
    })
    expect(health.due).toBeGreaterThan(0)
  })

  test('200: payments before the last day are not counted', async () => {
    api.advance(86_400_000)
    const later = await api.signInAs('vera')
    expect((await later.get('/merchant_clients/acme')).body.volume).toEqual([])
  })

  test('404: no such merchant', async () => {
    expect(await (await api.signInAs('vera')).get('/merchant_clients/nobody')).toBeRefusal('resource_missing')
  })
})
