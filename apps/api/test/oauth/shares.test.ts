import { createPublicKey, randomUUID } from 'node:crypto'
import { cloneDatabase } from '@merchant-payments/testing'
import { runStatement } from '@merchant-payments/testing/client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { until } from '../rows.ts'
import { rsaKeys } from './forge.ts'
import { assertionOf, clients, clock, formOf, postToken, shopKey } from './merchants.ts'
import { bootReplica } from './replica.ts'

const one = { running: 4, runningOfOwner: 1, runningBesideOthers: 1, waiting: 4, waitingOfOwner: 1 }

/** Boots a replica that ends with the test. */
async function boot(options: Partial<Parameters<typeof bootReplica>[0]>) {
  const database = await cloneDatabase()
  const key = { kid: 's1', privateKey: rsaKeys().privateKey }
  const replica = await bootReplica({ databaseUrl: database.appUrl, clock, key, clients, ...options })
  onTestFinished(async () => {
    await replica[Symbol.asyncDispose]()
    await database.drop()
  })
  return { database, replica }
}

test('a client that fills its share of the slots takes no tokens from the others', async () => {
  const { database, replica } = await boot({ limits: { oauth: one } })
  const jti = randomUUID()
  const spent = Promise.withResolvers<void>()
  const failed = Promise.withResolvers<never>()
  const spending = replica.db.transact(async (tx) => {
    await tx
      .insertInto('spent_jtis')
      .values({ jti, expires_at: new Date(clock()).toISOString() })
      .execute()
    spent.resolve()
    return failed.promise
  })
  await spent.promise

  // Requests with a jti that another transaction is spending wait for its end.
  const form = formOf({ client_assertion: assertionOf('shop', shopKey, { jti }), audience: 'service:v1' })
  const flood = [postToken(replica, form), postToken(replica, form), postToken(replica, form)]
  const beyond = await Promise.race(flood)
  expect(beyond).toMatchObject({ status: 503, body: { error: 'temporarily_unavailable' } })
  expect(beyond.headers.get('compat-should-retry')).toBe('true')
  // Its spending would share a statement that has not been sent yet.
  const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await until(async () => (await runStatement(database.url, waits)).length > 0)
  // Strangers know its id. Their forged assertions take no slot of its share, which is full.
  for (const forged of [
    assertionOf('shop', rsaKeys()),
    'x',
    ...Array(4).fill(assertionOf('shop', rsaKeys())),
  ])
    expect((await postToken(replica, formOf({ client_assertion: forged }))).status).toBe(401)
  const kiosk = await postToken(replica, formOf({ client_id: 'kiosk', audience: 'service:v1' }))
  expect(kiosk.status).toBe(200)

  failed.reject(new Error('rolled back'))
  await expect(spending).rejects.toThrow('rolled back')
  const statuses = (await Promise.all(flood)).map(({ status }) => status)
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 401, 503])
})

describe('a key that is slow to verify', () => {
  // The configuration refuses it. Its exponent has as many bits as its modulus, so each signature takes some milliseconds.
  const slow = rsaKeys(3072)
  const jwk = slow.publicKey.export({ format: 'jwk' })
  const e = Buffer.from(String(jwk.n), 'base64url').fill(0x7f, 0, 1).fill(0xff, 1).toString('base64url')
  const slowKey = createPublicKey({ key: { ...jwk, e }, format: 'jwk' })
  const slowClients = new Map([
    ...clients,
    ['slow', { clientId: 'slow', jwks: new Map([['one', slowKey]]), scopes: [], audiences: [] }],
  ])
  const forged = (clientId = 'slow') =>
    formOf({ client_id: clientId, client_assertion: assertionOf(clientId, slow) })

  test('delays no token of another client, however many signatures are forged', async () => {
    const { replica } = await boot({ clients: slowClients })
    let refused = 0
    const flood = Array.from({ length: 250 }, async () => {
      const { status } = await postToken(replica, forged())
      refused += 1
      return status
    })
    await Promise.race(flood)
    expect((await postToken(replica, formOf({ client_id: 'kiosk' }))).status).toBe(200)
    expect(refused).toBeLessThan(flood.length / 2)
    expect(new Set(await Promise.all(flood))).toEqual(new Set([401]))
  })

  test('is a 503 for a signature that has no room to wait, and others have room', async () => {
    const { replica } = await boot({
      clients: slowClients,
      verifications: { running: 1, waiting: 2, waitingOfOwner: 1 },
    })
    const flood = Array.from({ length: 50 }, () => postToken(replica, forged()))
    expect((await postToken(replica, formOf({ client_id: 'kiosk' }))).status).toBe(200)
    const answers = await Promise.all(flood)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 503]))
    const shed = answers.find(({ status }) => status === 503)
    expect(shed?.body['error']).toBe('temporarily_unavailable')
    expect(shed?.headers.get('compat-should-retry')).toBe('true')
  })
})
