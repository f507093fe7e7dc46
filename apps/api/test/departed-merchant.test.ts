import type { KeyObject } from 'node:crypto'
import type { Scope } from '@merchant-payments/config'
import { cloneDatabase } from '@merchant-payments/testing'
import { expect, onTestFinished, test } from 'vitest'
import { type ApiProcess, makeKey, merchantClient, orangeMoney, startApi } from './api-process.ts'
import { claimsOf, forge, rsaKeys } from './oauth/forge.ts'

const PUBLIC_BASE_URL = 'https://payments.merchant.example'

const key = makeKey('service')

const keyOf = { shop: rsaKeys(), stall: rsaKeys() }
type Name = keyof typeof keyOf

const merchant = (name: Name, scopes?: readonly Scope[]) =>
  merchantClient(name, keyOf[name].publicKey, scopes)

/** The same deployment, started with these merchants. */
async function deployment() {
  const { url, drop } = await cloneDatabase()
  onTestFinished(drop)
  return async (...merchants: readonly ReturnType<typeof merchant>[]) => {
    const changes = {
      database: { url },
      merchant_clients: merchants,
      rails: { orange_money_cm: orangeMoney },
    }
    const process = await startApi(key, changes, { ORANGE_KEY: 'orange-key' })
    const { address } = await process.said('ready')
    return { process, origin: String(address) }
  }
}

async function ended({ process }: { process: ApiProcess }): Promise<void> {
  process.kill('SIGKILL')
  await process.ended
}

const assertionOf = (name: Name, { privateKey }: { privateKey: KeyObject } = keyOf[name]) =>
  forge(privateKey, claimsOf(name, `${PUBLIC_BASE_URL}/v1/oauth`, Math.floor(Date.now() / 1_000)))

interface Answer {
  readonly status: number
  readonly body: Record<string, unknown>
}

async function send(
  url: string,
  headers: Record<string, string>,
  form?: Record<string, string>,
): Promise<Answer> {
  const answer = await fetch(url, {
    headers,
    ...(form && { method: 'POST', body: new URLSearchParams(form) }),
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

const askToken = (origin: string, name: Name) =>
  send(
    `${origin}/v1/oauth/token`,
    {},
    {
      grant_type: 'client_credentials',
      client_id: name,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: assertionOf(name),
      audience: 'service:v1',
    },
  )

const bearing = (token: unknown) => ({ authorization: `Bearer ${String(token)}` })

const createIntent = (origin: string, token: unknown, idempotencyKey: string) =>
  send(
    `${origin}/v1/payment_intents`,
    { ...bearing(token), 'idempotency-key': idempotencyKey },
    {
      amount: '1000',
      currency: 'XAF',
      'payment_method_types[]': 'orange_money_cm',
    },
  )

const asPayer = (origin: string, name: Name, { body }: Answer) =>
  send(`${origin}/v1/browser/payment_intents/${String(body['id'])}`, {
    'publishable-key': `pk_${name}`,
    'client-secret': String(body['client_secret']),
  })

test('a merchant that left the configuration is refused after the restart, with its tokens and its payers [§5.1.4]', async () => {
  const start = await deployment()
  const before = await start(merchant('shop'), merchant('stall'))
  const [shop, stall] = await Promise.all([askToken(before.origin, 'shop'), askToken(before.origin, 'stall')])
  const tokens = { shop: shop.body['access_token'], stall: stall.body['access_token'] }
  const intents = {
    shop: await createIntent(before.origin, tokens.shop, 'one'),
    stall: await createIntent(before.origin, tokens.stall, 'one'),
  }
  expect(await asPayer(before.origin, 'shop', intents.shop)).toMatchObject({ status: 200 })
  await ended(before)

  const { origin } = await start(merchant('stall'))
  const refused = { status: 401, body: { error: { type: 'authentication_error' } } }
  expect(await send(`${origin}/v1/payment_intents`, bearing(tokens.shop))).toMatchObject(refused)
  expect(await createIntent(origin, tokens.shop, 'one')).toMatchObject(refused)
  expect(await createIntent(origin, tokens.shop, 'two')).toMatchObject(refused)
  expect(await send(`${origin}/v1/no/such/route`, bearing(tokens.shop))).toMatchObject(refused)
  expect(await asPayer(origin, 'shop', intents.shop)).toMatchObject({ status: 404 })
  expect(await askToken(origin, 'shop')).toMatchObject({ status: 401, body: { error: 'invalid_client' } })

  expect(await createIntent(origin, tokens.stall, 'one')).toEqual(intents.stall)
  expect(await asPayer(origin, 'stall', intents.stall)).toMatchObject({ status: 200 })
})

test('a token has no scope that its merchant’s registration lost', async () => {
  const start = await deployment()
  const before = await start(merchant('shop'))
  const token = (await askToken(before.origin, 'shop')).body['access_token']
  await ended(before)

  const { origin } = await start(merchant('shop', ['payments:read']))
  expect(await createIntent(origin, token, 'one')).toMatchObject({ status: 403 })
  expect(await send(`${origin}/v1/payment_intents`, bearing(token))).toMatchObject({ status: 200 })
})
