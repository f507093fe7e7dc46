import { randomUUID } from 'node:crypto'
import { mintSecret, openStaffSession } from '@merchant-payments/core'
import { type IdentityProvider, startIdentityProvider } from '@merchant-payments/identity-provider'
import { openTestDatabase } from '@merchant-payments/db/testing'
import { cloneDatabase, lockTable } from '@merchant-payments/testing'
import { connect, runStatement } from '@merchant-payments/testing/client'
import { expect, onTestFinished, test } from 'vitest'
import { makeKey, merchantClient, mtnMomo, startApi } from './api-process.ts'
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

type Merchant = (typeof merchants)[number]
const merchants = Array.from({ length: MANY }, (_, n) => ({ id: `shop_${n + 1}`, key: rsaKeys() }))
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

/** Pools with a connection that waits for a lock. */
const waitingPools = `
  select distinct application_name from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`

/** Connections of token requests that wait for longer than a shared statement does (docs/decisions/0010). */
const longWaits = `
  select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    and application_name = 'merchant-payments-oauth' and query_start < clock_timestamp() - interval '100 ms'`

/** Pools whose connections sent a statement of this kind last. */
const poolsOf = (statement: string) => `
  select distinct application_name as pool from pg_stat_activity
  where datname = current_database() and application_name like 'merchant-payments-%' and query ~ '${statement}'`

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
      merchant_clients: merchants.map(({ id, key }) => merchantClient(id, key.publicKey)),
      rails: { mtn_momo_cm: mtnMomo },
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
  const token = ({ id, key }: Merchant, jti: string = randomUUID()) =>
    post('/v1/oauth/token', {
      grant_type: 'client_credentials',
      client_id: id,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: forge(key.privateKey, { ...claimsOf(id, `${publicBaseUrl}/v1/oauth`, nowSec), jti }),
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
  const waiting = [...merchants.map((merchant) => token(merchant)), ...merchants.map(logout)]
  await until(async () => (await runStatement(database.url, waitingPools)).length === 2)

  const calledBack = await post(`/provider/mtn_momo_cm/callback?ref=${reference}`, {})
  const me = await send(origin, {
    method: 'GET',
    path: '/dash/v1/me',
    headers: { cookie: `__Host-staff_session=${staffSecret}` },
  })
  expect([calledBack.status, me.status]).toEqual([200, 200])
  expect(await runStatement(database.url, isPulled(charge))).toHaveLength(1)
  expect(await runStatement(database.url, poolsOf('update charge_jobs'))).toEqual([
    { pool: 'merchant-payments-callbacks' },
  ])
  expect(await runStatement(database.url, poolsOf('update staff_sessions'))).toEqual([
    { pool: 'merchant-payments-staff' },
  ])
  await unlock()
  const statuses = (await Promise.all(waiting)).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([200]))
})

test('two clients that each wait for a jti delay neither each other nor a third', async () => {
  const { database, provider, origin } = await startParts()
  const { token } = requestsOf(origin, provider)
  const [one, two, three] = merchants as [Merchant, Merchant, Merchant]
  const jtis = [randomUUID(), randomUUID()] as const
  const spending = await connect(database.url)
  await spending.query('begin')
  await spending.query('insert into spent_jtis (jti, expires_at) select unnest($1::uuid[]), now()', [jtis])
  const waiting = [token(one, jtis[0]), token(two, jtis[1])]
  await until(async () => (await runStatement(database.url, longWaits)).length === 2)
  expect((await token(three)).status).toBe(200)
  await spending.end()
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200])
})
