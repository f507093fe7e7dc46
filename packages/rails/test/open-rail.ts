import type {
  MerchantId,
  Msisdn,
  PaymentIntentId,
  RailCode,
  RefundId,
  SubmitCharge,
} from '@merchant-payments/core'
import { expect, onTestFinished } from 'vitest'
import { createMtnMomo, type MtnMomoConfig, type OrangeMoneyConfig } from '../src/index.ts'
import { json, NOW_MS } from './operator.ts'
import { openWallet, type WalletScript } from './wallet.ts'

export const reference = '7f3b4f0e-93f5-4b1c-8a6e-0b6f2d9c1a55'
export const payer = '237670000001' as Msisdn

export const config: MtnMomoConfig = {
  code: 'mtn_momo_cm' as RailCode,
  displayName: 'MTN Mobile Money',
  adapter: 'mtn_momo',
  settlementCurrency: 'XAF',
  wireCurrency: 'XAF',
  baseUrl: 'http://127.0.0.1:1',
  targetEnvironment: 'mtncameroon',
  collection: { subscriptionKeys: ['key-1', 'key-2'], apiUser: 'user', apiKey: 'secret' },
  disbursement: { subscriptionKeys: ['payout-key'], apiUser: 'payout-user', apiKey: 'payout-secret' },
  clock: () => NOW_MS,
}

export const webPayment: OrangeMoneyConfig = {
  ...config,
  adapter: 'orange_money',
  settlementCurrency: 'XAF',
  country: 'cm',
  clientId: 'id',
  clientSecret: 'secret',
  merchantKey: 'key',
  lang: 'fr',
}

const deadlineMs = NOW_MS + 60_000

export const charge: SubmitCharge = {
  reference,
  merchantId: 'acme' as MerchantId,
  object: 'pi_1' as PaymentIntentId,
  amountMinor: 1000,
  currency: 'XAF',
  payer,
  locale: 'fr',
  callbackUrl: `https://pay.example/provider/mtn_momo_cm/callback?ref=${reference}`,
  returnUrl: null,
  deadlineMs,
}
export const refund = {
  reference,
  merchantId: 'acme' as MerchantId,
  object: 're_1' as RefundId,
  amountMinor: 400,
  currency: 'XAF',
  destination: payer,
  deadlineMs,
} as const
export const lookup = { merchantId: 'acme' as MerchantId, msisdn: payer } as const
export const atRail = { reference, railToken: null, amountMinor: 1000, currency: 'XAF' } as const

export const wasAccepted = { kind: 'accepted', railToken: null, callbackSecret: null, redirectUrl: null }

export const walletNotFound = json(404, {
  code: 'RESOURCE_NOT_FOUND',
  message: 'Requested resource was not found.',
})
export const denied = json(401, {
  statusCode: 401,
  message: 'Access denied due to invalid subscription key.',
})

/** The adapter and its wallet, for one test. */
export async function openRail(script: WalletScript = {}, changes: Partial<MtnMomoConfig> = {}) {
  const wallet = await openWallet(script)
  const rail = createMtnMomo({ ...config, baseUrl: wallet.baseUrl, ...changes })
  onTestFinished(async () => {
    await rail.close()
    // Every submit, whatever its result, must use the one reference that was committed before it.
    for (const { step, headers, body } of wallet.calls) {
      if (step !== 'submit') continue
      expect([headers['x-reference-id'], JSON.parse(body).externalId]).toEqual([reference, reference])
    }
  })
  return { rail, ...wallet }
}
