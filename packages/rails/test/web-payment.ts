import type { MerchantId, PaymentIntentId, RailCode, SubmitCharge } from '@merchant-payments/core'
import { expect, onTestFinished } from 'vitest'
import { createOrangeMoney, type OrangeMoneyConfig } from '../src/index.ts'
import { html, json, NOW_MS, openOperator, type Respond, type Script } from './operator.ts'

type Step = 'token' | 'submit' | 'query' | 'lost'

export type WebPaymentScript = Script<Step>

/** The rail grants tokens for ninety days, and sends the lifetime as text. */
export const token = (name: string): Respond =>
  json(200, { token_type: 'Bearer', access_token: name, expires_in: '7776000' })

export const page = {
  status: 201,
  message: 'OK',
  pay_token: 'pay-1',
  payment_url: 'https://webpayment.orange-money.com/payment/pay_token/pay-1',
  notif_token: 'dd497bda3b250e536186fc0663f32f40',
} as const

export const created = json(201, page)

export const denied = json(401, { code: 42, message: 'Expired credentials', description: 'Token expired' })

const ordinary: Record<Step, Respond> = {
  token: token('token-1'),
  submit: created,
  query: json(201, { status: 'INITIATED' }),
  lost: html(404),
}

const steps: Readonly<Record<string, Step>> = {
  'POST /oauth/v3/token': 'token',
  'POST /orange-money-webpay/cm/v1/webpayment': 'submit',
  'POST /orange-money-webpay/dev/v1/webpayment': 'submit',
  'POST /orange-money-webpay/cm/v1/transactionstatus': 'query',
}

const stepOf = (method: string, path: string): Step => steps[`${method} ${path}`] ?? 'lost'

export const reference = 'a3f0c1d2e4b5968778695a4b3c2d1e'

export const config: OrangeMoneyConfig = {
  code: 'orange_money_cm' as RailCode,
  displayName: 'Orange Money',
  adapter: 'orange_money',
  settlementCurrency: 'XAF',
  baseUrl: 'http://127.0.0.1:1',
  country: 'cm',
  merchantKey: 'merchant-key-1',
  clientId: 'client',
  clientSecret: 'secret',
  lang: 'fr',
  clock: () => NOW_MS,
}

export const charge: SubmitCharge = {
  reference,
  merchantId: 'acme' as MerchantId,
  object: 'pi_1' as PaymentIntentId,
  amountMinor: 4000,
  currency: 'XAF',
  payer: null,
  locale: null,
  callbackUrl: `https://pay.example/provider/orange_money_cm/callback?ref=${reference}`,
  returnUrl: 'https://shop.example/back',
  deadlineMs: NOW_MS + 60_000,
}

export const atRail = { reference, railToken: 'pay-1', amountMinor: 4000, currency: 'XAF' } as const

export const wasAccepted = {
  kind: 'accepted',
  railToken: page.pay_token,
  callbackSecret: page.notif_token,
  redirectUrl: page.payment_url,
}

/** The adapter and its operator, for one test. */
export async function openWebPayment(
  script: WebPaymentScript = {},
  changes: Partial<OrangeMoneyConfig> = {},
) {
  const operator = await openOperator({ stepOf, ordinary }, script)
  const rail = createOrangeMoney({ ...config, baseUrl: operator.baseUrl, ...changes })
  onTestFinished(async () => {
    await rail.close()
    // Every submit, whatever its result, must use the order_id that was committed before it.
    for (const { step, body } of operator.calls) {
      if (step === 'submit') expect(JSON.parse(body)).toMatchObject({ order_id: reference })
    }
  })
  return { rail, ...operator }
}
