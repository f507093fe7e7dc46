import { HttpResponse, http } from 'msw/http'
import { setupServer } from 'msw/node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fetchTransport } from '../src/fetch.ts'
import { createMerchantPayments } from '../src/index-node.ts'
import { intent, privateKey } from './api-server.ts'

const baseUrl = 'https://payments.example.com'

const server = setupServer(
  http.post(`${baseUrl}/v1/oauth/token`, () =>
    HttpResponse.json({ access_token: 'token-msw', token_type: 'Bearer', expires_in: 900 }),
  ),
  http.get(`${baseUrl}/v1/payment_intents/${intent.id}`, ({ request }) =>
    request.headers.get('authorization') === 'Bearer token-msw'
      ? HttpResponse.json(intent)
      : HttpResponse.json({ error: { type: 'authentication_error' } }, { status: 401 }),
  ),
)

beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
afterAll(() => server.close())

test.each([
  ['node:http', {}],
  ['fetch', { transport: fetchTransport() }],
])("a merchant's own tests can answer for the service with msw, over %s", async (_name, options) => {
  const payments = createMerchantPayments({ baseUrl, clientId: 'shop', privateKey, ...options })
  expect(await payments.paymentIntents.retrieve(intent.id)).toEqual(intent)
})
