import { HttpResponse, http } from 'msw/http'
import { setupServer } from 'msw/node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPayerClient } from '../src/index.ts'
import { createService, INTENT_ID, INTENT_SECRET, PUBLISHABLE_KEY } from './service.ts'
import { fastClock } from './http-server.ts'

const baseUrl = 'https://payments.example.com'
const path = `${baseUrl}/v1/browser/payment_intents/${INTENT_ID}`
const { intent } = createService(fastClock)

const server = setupServer(http.get(path, () => HttpResponse.json({ ...intent, status: 'succeeded' })))

beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
afterAll(() => server.close())

test('a shop’s own tests can mock the service with msw', async () => {
  const client = createPayerClient({ baseUrl, clientSecret: INTENT_SECRET, publishableKey: PUBLISHABLE_KEY })
  expect(await client.pay({ rail: 'mtn_momo_cm', msisdn: '670000001' })).toEqual({
    outcome: 'succeeded',
    intent: { ...intent, status: 'succeeded' },
  })
})
