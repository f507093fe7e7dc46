import { rollUp } from '@merchant-payments/core'
import { afterAll, describe, expect, test } from 'vitest'
import { EURO_RAIL, PUSH_RAIL, settle } from '../harness.ts'
import { raiseAlerts } from '../raise.ts'
import { confirmedIntent, succeededIntent } from '../steps.ts'
import { startStaffApi } from './staff.ts'

const api = await startStaffApi()
afterAll(() => api.stop())

describe('dash.rails.list', () => {
  test('200: the rails of the deployment, with their capabilities', async () => {
    const vera = await api.signInAs('vera')
    const rail = { object: 'rail', flow: 'push', refunds: true, account_holders: true }
    expect((await vera.get('/rails')).body).toEqual({
      object: 'list',
      url: '/dash/v1/rails',
      has_more: false,
      data: [
        {
          id: PUSH_RAIL,
          ...rail,
          name: { fr: 'MTN Mobile Money', en: 'MTN MoMo' },
          settlement_currency: 'XAF',
        },
        {
          id: EURO_RAIL,
          ...rail,
          name: { fr: 'MTN (euros)', en: 'MTN (euros)' },
          settlement_currency: 'EUR',
        },
      ],
    })
  })
})

describe('dash.rails.retrieve', () => {
  test('200: its last hour, its open charges, its last errors, its alerts and a timeline', async () => {
    const omar = await api.signInAs('omar')
    await succeededIntent(api)
    const { id: declined } = await confirmedIntent(api, 'declines')
    await settle(api)
    const { id: waiting } = await confirmedIntent(api, 'staysPending')
    const { id: charge } = (await omar.get(`/payment_intents/${waiting}`)).body.charge
    await rollUp({ ...api, alert: () => undefined })
    await raiseAlerts(api, charge, { facts: { rail: PUSH_RAIL } })
    const raised = (await omar.get(`/rails/${PUSH_RAIL}`)).body
    expect(raised).toMatchObject({
      id: PUSH_RAIL,
      object: 'rail',
      name: { en: 'MTN MoMo' },
      health: { opened: 3, succeeded: 1, failed: 1, waiting: 1, p50_ms: expect.any(Number) },
      open: [{ status: 'live', count: 1 }],
      looked_at_most: 5_000,
      last_errors: [{ payment_intent: declined, merchant: 'acme', code: expect.any(String) }],
      alerts: [{ alert: 'charge_stuck', about: charge, payment_intent: waiting, status: 'open' }],
      timeline: [{ source: 'alert', text: 'raised', about: 'charge_stuck', id: charge }],
    })
    api.advance(5_000)
    await omar.post(`/attention_items/${raised.alerts[0].id}/resolve`, {
      reason: 'It is paid.',
      seen_version: raised.alerts[0].version,
    })
    const mark = { rail: PUSH_RAIL, alert: 'charge_stuck', about: charge, payment_intent: waiting }
    expect((await omar.get(`/analytics?rail=${PUSH_RAIL}`)).body.marks).toEqual([
      { ...mark, item: raised.alerts[0].id, state: 'raised', at: expect.any(Number) },
      { ...mark, item: raised.alerts[0].id, state: 'resolved', at: expect.any(Number) },
    ])
    expect((await omar.get(`/analytics?rail=${EURO_RAIL}`)).body.marks).toEqual([])
    expect((await omar.get('/analytics?merchant=globex')).body.marks).toEqual([])
    const { timeline } = (await omar.get(`/rails/${PUSH_RAIL}`)).body
    expect(timeline.map(({ text }: { text: string }) => text)).toEqual(['resolved', 'raised'])
    expect((await omar.get(`/rails/${EURO_RAIL}`)).body).toMatchObject({ open: [], alerts: [], timeline: [] })
  })

  test('404: a rail that the deployment does not have', async () => {
    const vera = await api.signInAs('vera')
    expect(await vera.get('/rails/other')).toBeRefusal('resource_missing')
  })
})
