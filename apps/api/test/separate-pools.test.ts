import { randomUUID } from 'node:crypto'
import { mintSecret, openStaffSession } from '@merchant-payments/core'
import { type IdentityProvider, startIdentityProvider } from '@merchant-payments/identity-provider'
import { openTestDatabase } from '@merchant-payments/db/testing'
import { cloneDatabase, lockTable } from '@merchant-payments/testing'
import { runStatement } from '@merchant-payments/testing/client'
import { expect, onTestFinished, test } from 'vitest'
import { makeKey, startApi } from './api-process.ts'
import { claimsOf, forge, rsaKeys } from './oauth/forge.ts'
import { until } from './rows.ts'
import { send } from './send.ts'

/** More waiting requests than any pool has connections. */
const MANY = 24
const BACKCHANNEL_LOGOUT = 'http://schemas.openid.net/event/backchannel-logout'

const publicBaseUrl = 'https://payments.merchant.example'
const reference = randomUUID()
const staffSecret = mintSecret()
const form = { 'content-type': 'application/x-www-form-urlencoded' }

const merchants = Array.from({ length: MANY }, (_, n) => ({ id: `shop_${n + 1}`, key: rsaKeys() }))
const clientOf = ({ id, key }: (typeof merchants)[number]) => {
  const { kty, n, e } = key.publicKey.export({ format: 'jwk' })
  return {
    client_id: id,
    name: id,
    jwks: { keys: [{ kty, n, e }] },
    scopes: ['payments:read'],
    audiences: ['service:v1'],
    publishable_key: `pk_${id}`,
  }
}

const rail = {
  adapter: 'mtn_momo',
  display_name: 'MTN Mobile Money',
  settlement_currency: 'XAF',
  base_url: 'http://127.0.0.1:1',
  target_environment: 'mtncameroon',
  collection: {
    subscription_keys: [{ env: 'RAIL_KEY' }],
    api_user: '6f0c1b52-3a5e-4a7d-9d0e-2b8c4f1e7a90',
    api_key: { env: 'RAIL_KEY' },
  },
}

const waitingCharge = (charge: string) => `
  with intent as (
    insert into payment_intents (merchant_id, id, amount, currency, status, payment_method_types, metadata, livemode)
    values ('shop_1', '${charge}', 1000, 'XAF', 'processing', '{mtn_momo_cm}', '{}', false)
  ), charge as (
    insert into charges (merchant_id, id, payment_intent_id, rail, status, amount, currency, payer_msisdn, reference,
      opened_at, submit_deadline, acknowledged_at)
    values ('shop_1', '${charge}', '${charge}', 'mtn_momo_cm', 'live', 1000, 'XAF', '237670000001', '${reference}',
      now(), now(), now())
  )
  insert into charge_jobs (merchant_id, charge_id, rail, due_at)
  values ('shop_1', '${charge}', 'mtn_momo_cm', now() + interval '1 hour')`

const isPulled = (charge: string) =>
  `select from charge_jobs where charge_id = '${charge}' and due_at < now() + interval '1 minute'`

const waitingPools = `
  select distinct application_name from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`

async function startParts() {
  const database = await cloneDatabase()
  const provider = await startIdentityProvider({
    clientId: 'dashboard',
    clientSecret: 'secret',
    origin: publicBaseUrl,
  })
  const db = openTestDatabase(database.appUrl)
  onTestFinished(async () => {
    await db.close()
    await provider.stop()
    await database.drop()
  })
  const identity = {
    subject: 'olga',
    name: 'Olga',
    claims: ['admins'],
    authTimeMs: null,
    providerSessionId: null,
  }
  await openStaffSession(db.writer, identity, { secret: staffSecret, replaced: null }, Date.now())
  const api = await startApi(
    makeKey('s1'),
    {
      public_base_url: publicBaseUrl,
      database: { url: database.appUrl },
      merchant_clients: merchants.map(clientOf),
      rails: { mtn_momo_cm: rail },
      staff: {
        issuer: provider.issuer,
        client_id: 'dashboard',
        client_secret: { env: 'STAFF_SECRET' },
        role_claim: 'roles',
        roles: { admins: 'admin' },
      },
    },
    { RAIL_KEY: 'rail-key', STAFF_SECRET: 'secret' },
  )
  const { address } = await api.said('ready')
  return { database, provider, origin: String(address) }
}

function requestsOf(origin: string, provider: IdentityProvider) {
  const nowSec = Math.floor(Date.now() / 1_000)
  const post = (path: string, fields: Record<string, string>) =>
    send(origin, { method: 'POST', path, headers: form, body: new URLSearchParams(fields).toString() })
  const token = ({ id, key }: (typeof merchants)[number]) =>
    post('/v1/oauth/token', {
      grant_type: 'client_credentials',
      client_id: id,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: forge(key.privateKey, claimsOf(id, `${publicBaseUrl}/v1/oauth`, nowSec)),
      audience: 'service:v1',
    })
  const logout = async () =>
    post('/dash/v1/backchannel_logout', {
      logout_token: await provider.sign(
        {
          iss: provider.issuer,
          aud: 'dashboard',
          iat: nowSec,
          exp: nowSec + 120,
          jti: randomUUID(),
          sub: 'nobody',
          events: { [BACKCHANNEL_LOGOUT]: {} },
        },
        { typ: 'logout+jwt' },
      ),
    })
  return { post, token, logout }
}

test('callbacks, tokens, staff and sign-in have connections of their own', async () => {
  const { database, provider, origin } = await startParts()
  const charge = randomUUID()
  await runStatement(database.url, waitingCharge(charge))
  const { post, token, logout } = requestsOf(origin, provider)
  // Both kinds write spent jtis.
  const unlock = await lockTable(database.url, 'spent_jtis')
  const waiting = [...merchants.map(token), ...merchants.map(logout)]
  await until(async () => (await runStatement(database.url, waitingPools)).length === 2)

  const calledBack = await post(`/provider/mtn_momo_cm/callback?ref=${reference}`, {})
  const me = await send(origin, {
    method: 'GET',
    path: '/dash/v1/me',
    headers: { cookie: `__Host-staff_session=${staffSecret}` },
  })
  expect([calledBack.status, me.status]).toEqual([200, 200])
  expect(await runStatement(database.url, isPulled(charge))).toHaveLength(1)
  await unlock()
  const statuses = (await Promise.all(waiting)).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([200]))
})
