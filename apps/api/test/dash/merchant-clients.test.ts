import { afterAll, describe, expect, test } from 'vitest'
import { disableClient } from '../rows.ts'
import { startStaffApi } from './staff.ts'

const api = await startStaffApi()
const ada = await api.signInAs('ada')
afterAll(() => api.stop())

const acme = {
  id: 'acme',
  object: 'merchant_client',
  name: 'Acme',
  configured: true,
  scopes: ['payments:read', 'payments:write'],
  key_ids: ['one'],
  endpoints: [{ id: 'main', url: 'https://acme.example/hooks' }],
  disabled: null,
}

describe('dash.merchantClients.list', () => {
  test('200: configured merchants, and disabled ones that are no longer configured', async () => {
    await disableClient(api, 'formerly')
    expect((await ada.get('/merchant_clients')).body).toEqual({
      object: 'list',
      url: '/dash/v1/merchant_clients',
      has_more: false,
      data: [
        acme,
        {
          id: 'formerly',
          object: 'merchant_client',
          name: null,
          configured: false,
          scopes: [],
          key_ids: [],
          endpoints: [],
          disabled: { reason: 'a test', at: expect.any(Number) },
        },
      ],
    })
  })
})

describe('the filter status', () => {
  test('200: only enabled or only disabled merchants', async () => {
    const ids = async (query: string) =>
      (await ada.get(`/merchant_clients?${query}`)).body.data.map(({ id }: { id: string }) => id)
    expect(await ids('status=enabled')).toEqual(['acme'])
    expect(await ids('status=disabled')).toEqual(['formerly'])
    expect(await ada.get('/merchant_clients?status=x')).toBeRefusal('invalid_request', 'status')
  })
})

describe('dash.merchantClients.disable', () => {
  test('200: takes effect on the merchant’s next request, and a second call keeps the first reason', async () => {
    expect((await api.call({ path: '/v1/payment_intents' })).status).toBe(200)
    const { status, body } = await ada.post('/merchant_clients/acme/disable', { reason: 'Their key leaked.' })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      action: 'merchant_client.disable',
      target: 'acme',
      merchant: 'acme',
      before: { disabled: false },
      after: { disabled: true },
    })
    expect(await api.call({ path: '/v1/payment_intents' })).toBeRefusal('authentication_error')
    const again = await ada.post('/merchant_clients/acme/disable', { reason: 'Another reason.' })
    expect(again.body).toMatchObject({ before: { disabled: true }, after: { disabled: true } })
    expect((await ada.get('/merchant_clients')).body.data[0].disabled.reason).toBe('Their key leaked.')
  })
})

describe('dash.merchantClients.enable', () => {
  test('200: takes effect at once', async () => {
    const { body } = await ada.post('/merchant_clients/acme/enable', { reason: 'New key.' })
    expect(body).toMatchObject({ before: { disabled: true }, after: { disabled: false } })
    expect((await api.call({ path: '/v1/payment_intents' })).status).toBe(200)
    expect((await ada.get('/merchant_clients')).body.data[0]).toEqual(acme)
  })
})
