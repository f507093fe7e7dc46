import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EURO_RAIL, PUSH_RAIL } from '../harness.ts'
import { type StaffApi, startStaffApi } from './staff.ts'

let api: StaffApi
beforeAll(async () => {
  api = await startStaffApi()
})
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
