import { randomUUID } from 'node:crypto'
import type { MerchantId, Msisdn, PaymentIntentId, RailAdapter, RailCode } from '@merchant-payments/core'
import { DEFAULT_SETTINGS, startMockRails } from '@merchant-payments/mock-rails'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { createMtnMomo } from '../src/index.ts'

const { apiUser, apiKey, collectionSubscriptionKeys } = DEFAULT_SETTINGS.mtn
const [primary = '', secondary] = collectionSubscriptionKeys
const HOUR_MS = 3_600_000

const mock = await startMockRails()
afterAll(() => mock.stop())

/** A process of the deployment that was started with this key. */
function openWith(key: string, clock = Date.now): RailAdapter {
  const rail = createMtnMomo({
    code: 'mtn_momo_cm' as RailCode,
    displayName: 'MTN Mobile Money',
    adapter: 'mtn_momo',
    settlementCurrency: 'XAF',
    wireCurrency: 'XAF',
    baseUrl: mock.wireUrl,
    targetEnvironment: DEFAULT_SETTINGS.mtn.targetEnvironment,
    collection: { apiUser, apiKey: key, subscriptionKeys: [primary, secondary] },
    disbursement: null,
    clock,
  })
  onTestFinished(() => rail.close())
  return rail
}

const chargeOf = (reference: string) => ({
  reference,
  railToken: null,
  amountMinor: 1_000,
  currency: 'XAF' as const,
})

const submit = (rail: RailAdapter, reference: string) =>
  rail.submitCharge({
    ...chargeOf(reference),
    merchantId: 'shop' as MerchantId,
    object: 'pi_01a1fd77072f77d09897bd720fc50212' as PaymentIntentId,
    payer: '237670000000' as Msisdn,
    locale: 'fr',
    callbackUrl: null,
    returnUrl: null,
    deadlineMs: Infinity,
  })

/** The operator gives its API user another key, and refuses logins with the one before. */
async function replaceKey(): Promise<string> {
  const answer = await fetch(`${mock.wireUrl}/v1_0/apiuser/${apiUser}/apikey`, {
    method: 'POST',
    headers: { 'ocp-apim-subscription-key': primary },
  })
  return ((await answer.json()) as { apiKey: string }).apiKey
}

test('a process with a replaced API key goes on with its token, beside one with the new key, until the token ends', async () => {
  let aheadMs = 0
  const before = openWith(apiKey, () => Date.now() + aheadMs)
  const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()]
  expect(await submit(before, first)).toMatchObject({ kind: 'accepted' })
  const after = openWith(await replaceKey())
  expect(await submit(after, second)).toMatchObject({ kind: 'accepted' })
  expect(await submit(before, third)).toMatchObject({ kind: 'accepted' })
  for (const rail of [before, after]) {
    for (const reference of [first, second, third]) {
      expect(await rail.queryCharge(chargeOf(reference))).toEqual({ kind: 'pending' })
    }
  }
  aheadMs = HOUR_MS
  expect(await submit(before, randomUUID())).toMatchObject({ kind: 'not_sent' })
  expect(await submit(after, randomUUID())).toMatchObject({ kind: 'accepted' })
})
