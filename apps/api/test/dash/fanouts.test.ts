import { afterAll, describe, expect, test } from 'vitest'
import { canceledIntent } from '../steps.ts'
import { startStaffApi } from './staff.ts'
import { failFanouts, fanOutToMain } from './webhooks.ts'

const api = await startStaffApi()
const omar = await api.signInAs('omar')
afterAll(() => api.stop())

const listed = async (query = '') => (await omar.get(`/fanouts${query}`)).body.data

describe('dash.fanouts.list', () => {
  test('200: pending and failed fan-outs', async () => {
    await canceledIntent(api)
    expect(await listed()).toEqual([
      {
        id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
        object: 'fanout',
        merchant: 'acme',
        type: 'payment_intent.canceled',
        state: 'pending',
        failures: 0,
        next_pass_at: expect.any(Number),
        request_id: expect.stringMatching(/^req_/),
        created: expect.any(Number),
      },
    ])
    await failFanouts(api)
    await canceledIntent(api)
    expect((await listed()).map(({ state }: { state: string }) => state)).toEqual(['pending', 'failed'])
    expect(await listed('?state=failed')).toHaveLength(1)
    expect(await listed('?state=pending&merchant=globex')).toEqual([])
  })

  test('400: done fan-outs are not listed here', async () => {
    expect(await omar.get('/fanouts?state=done')).toBeRefusal('invalid_request', 'state')
  })
})

describe('dash.fanouts.retry', () => {
  test('200: five more passes; 409 for one that has not failed', async () => {
    const [{ id }] = await listed('?state=failed')
    const { status, body } = await omar.post(`/fanouts/${id}/retry`, { reason: 'The cause is gone.' })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      action: 'fanout.retry',
      target: id,
      merchant: 'acme',
      before: { state: 'failed', failures: 5 },
      after: { state: 'pending', failures: 0 },
    })
    expect(await omar.post(`/fanouts/${id}/retry`, { reason: 'Again.' })).toBeRefusal('fanout_not_failed')
    await fanOutToMain(api)
    expect(await listed()).toEqual([])
  })
})
