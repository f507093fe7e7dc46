import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PUSH_RAIL } from '../harness.ts'
import { disableClient } from '../rows.ts'
import { confirmedIntent, createIntent, succeededIntent } from '../steps.ts'
import { STUCK_AFTER_MS } from '@merchant-payments/core'
import { type StaffApi, startStaffApi } from './staff.ts'

let api: StaffApi
beforeAll(async () => {
  api = await startStaffApi()
})
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
})
