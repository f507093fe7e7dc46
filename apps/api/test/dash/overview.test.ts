import { afterAll, describe, expect, test } from 'vitest'
import { PUSH_RAIL } from '../harness.ts'
import { disableClient } from '../rows.ts'
import { confirmedIntent, createIntent, succeededIntent } from '../steps.ts'
import { STUCK_AFTER_MS } from '@merchant-payments/core'
import { startStaffApi } from './staff.ts'
import { attempt, fanOutToMain } from './webhooks.ts'

const api = await startStaffApi()
afterAll(() => api.stop())

const NONE = { count: 0, oldest: null }

describe('dash.overview.retrieve', () => {
  test('counts the payments of the last day over all merchants, and waiting objects', async () => {
    await succeededIntent(api)
    await createIntent(api, '', { merchant: 'globex' })
    await confirmedIntent(api, 'staysPending')
    await disableClient(api, 'initech')
    const vera = await api.signInAs('vera')
    const { status, body } = await vera.get('/overview')
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        object: 'overview',
        at: expect.any(Number),
        since: body.at - 86_400,
        counted_at_most: 10_000,
        payment_intents: [
          { status: 'processing', count: 1 },
          { status: 'requires_payment_method', count: 1 },
          { status: 'succeeded', count: 1 },
        ],
        charges: [
          { rail: PUSH_RAIL, status: 'live', count: 1 },
          { rail: PUSH_RAIL, status: 'succeeded', count: 1 },
        ],
        live_charges: { count: 1, oldest: expect.any(Number) },
        stuck_charges: NONE,
        duplicate_charges: NONE,
        mismatched_charges: NONE,
        attention_items: NONE,
        pending_deliveries: NONE,
        exhausted_deliveries: NONE,
        dead_letters: NONE,
        pending_fanouts: { count: 1, oldest: expect.any(Number) },
        failed_fanouts: NONE,
        refunds_to_instruct: NONE,
        pending_approvals: NONE,
        disabled_clients: 1,
      },
    })
    api.advance(STUCK_AFTER_MS + 1_000)
    expect((await vera.get('/overview')).body.stuck_charges).toEqual(body.live_charges)
  })

  test('a delivery, an event and a refund are as old as they are, whenever the next attempt is', async () => {
    const own = await startStaffApi()
    const { id: intent } = await succeededIntent(own)
    const madeSec = Math.floor(own.clock() / 1_000)
    await fanOutToMain(own)
    for (const minutes of [0, 1, 1, 5, 15, 120]) {
      own.advance(minutes * 60_000)
      await attempt(own, 'failed')
    }
    await succeededIntent(own)
    const refundedSec = Math.floor(own.clock() / 1_000)
    const omar = await own.signInAs('omar')
    await omar.post(`/payment_intents/${intent}/refund`, { amount: '100', reason: 'Torn.' })
    own.advance(600_000)
    const { body } = await omar.get('/overview')
    const near = (sec: number) => ({ count: expect.any(Number), oldest: expect.closeTo(sec, -1) })
    expect(body).toMatchObject({
      pending_deliveries: near(madeSec),
      pending_fanouts: near(refundedSec),
      refunds_to_instruct: near(refundedSec),
    })
    await own.stop()
  })
})
