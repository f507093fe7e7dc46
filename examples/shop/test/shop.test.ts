import { readFile } from 'node:fs/promises'
import { allowInsecureBaseUrl, createPayerClient } from '@merchant-payments/payer-client'
import { type Stack, startStack } from '@merchant-payments/stack'
import { cloneDatabase, type TestDatabase } from '@merchant-payments/testing'
import { signPayload } from '@merchant-payments/webhook-verifier/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Settings } from '../src/settings.ts'
import { type Shop, startShop } from '../src/shop.ts'

let database: TestDatabase
let stack: Stack
let settings: Settings
let shop: Shop

beforeAll(async () => {
  database = await cloneDatabase()
  stack = await startStack({
    databaseUrl: database.url,
    mockRailsSettings: { mtn: { autoApproveAfterMs: 100 } },
  })
  settings = {
    baseUrl: stack.baseUrl,
    clientId: stack.clientId,
    privateKey: await readFile(stack.privateKeyFile, 'utf8'),
    keyId: undefined,
    publishableKey: stack.publishableKey,
    webhookSecrets: stack.webhook?.secrets ?? [],
    rails: [stack.mockRails.pushRail],
    receivedUrl: stack.webhook?.receivedUrl ?? '',
  }
  shop = await startShop(settings)
})
afterAll(async () => {
  await shop?.stop()
  await stack?.stop()
  await database?.drop()
})

const buy = async (mode: 'hosted' | 'embedded'): Promise<string> => {
  const response = await fetch(`${shop.origin}/orders`, {
    method: 'POST',
    body: new URLSearchParams({ mode }),
    redirect: 'manual',
  })
  expect(response.status).toBe(303)
  return response.headers.get('location') ?? ''
}

const read = async (url: string, lang = 'en') =>
  (await fetch(url, { headers: { 'accept-language': lang } })).text()

/** A payer client with the secret from the payer's page. */
async function payerOf(payUrl: string) {
  const [, clientSecret = ''] = / client-secret="([^"]+)"/.exec(await read(payUrl)) ?? []
  return createPayerClient({ baseUrl: stack.baseUrl, clientSecret, [allowInsecureBaseUrl]: true })
}

const linksIn = (html: string) => [...html.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, link]) => link)

const order = () => ({ rail: stack.mockRails.pushRail, msisdn: '+237 6 70 00 00 01' })

describe('an order', () => {
  test('that is paid on the shop’s own page is settled by the webhook', async () => {
    const payUrl = await buy('embedded')
    const orderUrl = payUrl.replace(/\/pay$/, '')
    expect(await read(orderUrl)).toContain('Not paid yet')
    const payer = await payerOf(payUrl)
    expect(await read(orderUrl)).toContain(`href="${payUrl}"`)
    expect(await payer.pay(order())).toMatchObject({ outcome: 'succeeded', intent: { amount: 2_500 } })
    await expect.poll(() => read(orderUrl)).toContain('Paid.')
    expect(linksIn(await read(orderUrl))).toEqual(['/'])
  })

  test('can be paid on the service’s page, whose address carries the secret behind the #', async () => {
    const url = new URL(await buy('hosted'))
    expect(url.pathname).toMatch(/^\/c\/cs_[0-9a-f]{32}$/)
    const [, clientSecret = ''] = url.href.split('#')
    const payer = createPayerClient({ baseUrl: stack.baseUrl, clientSecret, [allowInsecureBaseUrl]: true })
    const { success_url: successUrl } = await payer.retrieveSession()
    expect(await payer.pay(order())).toMatchObject({ outcome: 'succeeded' })
    await expect.poll(() => read(successUrl ?? '')).toContain('Paid.')
  })

  test('is not settled by a webhook that nobody signed', async () => {
    const payUrl = await buy('embedded')
    const { id } = await (await payerOf(payUrl)).retrieve()
    const event = {
      id: 'evt_1',
      object: 'event',
      type: 'payment_intent.succeeded',
      created: 1,
      livemode: false,
    }
    const body = JSON.stringify({ ...event, data: { object: { id } } })
    const post = async (secrets: string) =>
      fetch(`${shop.origin}/webhooks`, {
        method: 'POST',
        headers: { 'service-signature': await signPayload({ payload: body, secrets }) },
        body,
      })
    expect((await post('a secret of somebody else')).status).toBe(400)
    expect(await read(payUrl.replace(/\/pay$/, ''))).toContain('Not paid yet')
    expect((await post(settings.webhookSecrets[0] ?? '')).status).toBe(200)
    expect(await read(payUrl.replace(/\/pay$/, ''))).toContain('Paid.')
  })
})

describe('the shop', () => {
  test('serves its first page and the scripts of the page to pay on', async () => {
    expect(await read(shop.origin)).toContain('Coffee')
    expect(await read(`${shop.origin}/payment-form.mjs`)).toContain('merchant-payment-form')
    expect(await read(`${shop.origin}/pay.js`)).toContain("from './payment-form.mjs'")
    expect(await read(`${shop.origin}/pay.css`)).toContain('--payment-form-accent')
  })

  test('speaks French to a French browser on each page', async () => {
    const lang = 'fr-FR,fr;q=0.9,en;q=0.8'
    expect(await read(shop.origin, lang)).toContain('Acheter')
    const payUrl = await buy('embedded')
    const pay = await read(payUrl, lang)
    expect(pay).toContain('<html lang="fr">')
    expect(pay).toMatch(/<merchant-payment-form [^>]*lang="fr"/)
    expect(pay).toContain('data-paid-title="Payé"')
    expect(pay).toContain('Merci.')
    expect(await read(payUrl.replace(/\/pay$/, ''), lang)).toContain('Pas encore payé')
    expect(await read(`${shop.origin}/nothing`, lang)).toBe('Cette page n’existe pas.')
  })

  test.each([
    ['fr', '2\u202f500\u00a0FCFA'],
    ['en', '2,500\u00a0FCFA'],
  ])('writes its price as in %s, on one line', async (lang, price) => {
    expect(await read(shop.origin, lang)).toContain(`: ${price}<`)
    expect(await read(await buy('embedded'), lang)).toContain(`: ${price}<`)
  })

  test('sends the policy of the payer client’s README with the page to pay on', async () => {
    const { headers } = await fetch(await buy('embedded'))
    const readme = await readFile(
      new URL('../../../packages/payer-client/README.md', import.meta.url),
      'utf8',
    )
    const [, policy = ''] = /^Content-Security-Policy: (.*)$/m.exec(readme) ?? []
    expect(headers.get('content-security-policy')).toBe(
      policy.replace('https://payments.example.com', stack.baseUrl),
    )
  })

  test('has no other pages', async () => {
    expect((await fetch(`${shop.origin}/orders/unknown`)).status).toBe(404)
    expect((await fetch(`${shop.origin}/nothing`)).status).toBe(404)
  })
})
