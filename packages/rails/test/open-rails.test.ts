import { afterEach, expect, test } from 'vitest'
import { openRails } from '../src/index.ts'
import { NOW_MS } from './operator.ts'
import { charge as push, openRail } from './open-rail.ts'
import { charge as redirect, openWebPayment } from './web-payment.ts'

const secret = (value: string) => ({ reveal: () => value, toJSON: () => '[secret]' })
const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

const common = {
  settlementCurrency: 'XAF',
  connectTimeoutMs: 1_000,
  totalTimeoutMs: 1_000,
  maxConnections: 1,
  firstQueryAfterMs: 0,
} as const

const name = { fr: 'Argent mobile', en: 'Mobile money' }

let rails: ReturnType<typeof openRails> = new Map()
afterEach(async () => {
  await Promise.all([...rails.values()].map((rail) => rail.close()))
})

test('a configured MTN Mobile Money rail sends its credentials to the operator', async () => {
  const wallet = await openRail()
  rails = openRails(
    [
      {
        ...common,
        adapter: 'mtn_momo',
        code: 'momo',
        displayName: 'MTN Mobile Money',
        approvalWindowSec: 120,
        display: {
          name,
          color: null,
          numberPrefixes: [],
          payeeNumber: null,
          prompt: { mode: 'automatic', dial: null, payeeName: null, hint: null },
        },
        baseUrl: wallet.baseUrl,
        wireCurrency: 'XAF',
        targetEnvironment: 'mtncameroon',
        collection: { subscriptionKeys: [secret('key')], apiUser: 'user', apiKey: secret('api-key') },
        disbursement: null,
        callbacks: true,
      },
    ],
    () => NOW_MS,
  )
  const [[code, rail] = []] = rails
  expect(await rail?.submitCharge(push)).toMatchObject({ kind: 'accepted' })
  expect([code, rail?.capabilities.approvalWindowMs]).toEqual(['momo', 120_000])
  expect(wallet.calls[0]?.headers).toMatchObject({
    authorization: basic('user', 'api-key'),
    'ocp-apim-subscription-key': 'key',
  })
})

test('a configured Orange Money rail sends its credentials to the operator', async () => {
  const operator = await openWebPayment()
  rails = openRails(
    [
      {
        ...common,
        adapter: 'orange_money',
        code: 'orange',
        displayName: 'Orange Money',
        approvalWindowSec: 900,
        display: { name, color: null, numberPrefixes: [], payeeNumber: null, prompt: null },
        baseUrl: operator.baseUrl,
        country: 'cm',
        merchantKey: secret('merchant-key'),
        clientId: 'client',
        clientSecret: secret('client-secret'),
        lang: 'en',
      },
    ],
    () => NOW_MS,
  )
  const [[code, rail] = []] = rails
  expect(await rail?.submitCharge(redirect)).toMatchObject({ kind: 'accepted' })
  expect([code, rail?.capabilities.approvalWindowMs]).toEqual(['orange', 900_000])
  expect(operator.calls[0]?.headers).toMatchObject({ authorization: basic('client', 'client-secret') })
  expect(JSON.parse(operator.calls[1]?.body ?? '')).toMatchObject({
    merchant_key: 'merchant-key',
    lang: 'en',
  })
})
