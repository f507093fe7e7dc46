import { createVerifier } from '@merchant-payments/webhook-verifier'
import { createTestEvent, signPayload } from '@merchant-payments/webhook-verifier/testing'
import { expect, expectTypeOf, test } from 'vitest'
import { createMerchantPayments as createOverFetch } from '../src/index.ts'
import { createMerchantPayments, type Event, isWebhookVerificationError } from '../src/index-node.ts'
import { privateKey, rejection } from './api-server.ts'

const options = { baseUrl: 'https://payments.example.com', clientId: 'shop', privateKey }
const payload = JSON.stringify(createTestEvent('payment_intent.succeeded'))

test.each([
  ['node:crypto', createMerchantPayments],
  ['WebCrypto', createOverFetch],
])('a client verifies webhooks with %s, as the verifier does', async (_how, create) => {
  const verifier = create(options).webhooks.createVerifier({ secrets: 'whsec_test' })
  const signature = await signPayload({ payload, secrets: 'whsec_test' })
  const headers = { 'service-signature': signature }
  const event = await verifier.verify(payload, headers)
  expectTypeOf(event).toEqualTypeOf<Event>()
  expect(event).toEqual(await createVerifier({ secrets: 'whsec_test' }).verify(payload, headers))
  const error = await rejection(verifier.verify(`${payload} `, headers))
  expect(isWebhookVerificationError(error)).toBe(true)
  expect(error).toMatchObject({ code: 'signature_mismatch' })
})
