import { randomUUID } from 'node:crypto'
import { dumpDatabase } from '@merchant-payments/testing/dump'
import { afterAll, expect, test } from 'vitest'
import { browserCall, confirmInBrowser, readInBrowser, readSessionInBrowser } from './browser/calls.ts'
import {
  clientSecretKey,
  settle,
  startTestApi,
  type Replica,
  type TestAnswer,
  type TestCall,
} from './harness.ts'
import { insertCustomer } from './rows.ts'
import { adoptCall, createSessionCall, expireCall, readSession, sessionForm } from './sessions.ts'
import { cancelCall, confirmCall, createCall, createIntent, intentForm, readIntent } from './steps.ts'

const api = await startTestApi()
afterAll(() => api.stop())

const nextKey = { version: 2, key: 'the-next-key-of-the-client-secrets-of-tests' }

/** The random part at the end of an object's secret: 43 characters of base64url. */
const DERIVED = /_secret_\d+v([\w-]{43})/g

const derivedIn = (text: string): string[] => [...text.matchAll(DERIVED)].map(([, derived = '']) => derived)

const dump = async (): Promise<string> =>
  [...(await dumpDatabase(api.databaseUrl)).values()].flat().join('\n')

const heldIn = (text: string, derived: Iterable<string>): string[] =>
  [...derived].filter((one) => text.includes(one) || text.includes(Buffer.from(one).toString('hex')))

/** Sends a request twice with its key, and expects the same answer, byte for byte. */
async function twice(call: TestCall, at: Replica = api): Promise<TestAnswer> {
  const keyed = { key: randomUUID(), ...call }
  const first = await at.call(keyed)
  expect(first.status).toBeLessThan(300)
  expect(await api.call(keyed)).toReplay(first)
  return first
}

test('no row of the database holds a secret of a payment, and every replay shows it', async () => {
  const customer = await insertCustomer(api)
  const answers = [
    await twice(createCall()),
    await twice(createCall(`${intentForm}&customer=${customer}`)),
    await twice(createSessionCall()),
    await twice(createSessionCall(`${sessionForm}&ui_mode=embedded&customer=${customer}`)),
  ]
  const { id: adopted } = await createIntent(api)
  answers.push(await twice(adoptCall(adopted)))
  const [plain, named, session, , adopting] = answers.map(({ body }) => body)
  answers.push(await twice(confirmInBrowser(plain.id, plain.client_secret)))
  answers.push(await twice(confirmInBrowser(session.payment_intent, session.client_secret)))
  answers.push(await twice(confirmCall(named.id, 'declines')))
  answers.push(await twice(cancelCall(adopted)))
  answers.push(await twice(expireCall(adopting.id)))
  await settle(api)
  answers.push(await readIntent(api, plain.id), await readSession(api, session.id))
  answers.push(await api.call({ path: '/v1/checkout/sessions' }), await readIntent(api, adopted))
  await api.call({ method: 'DELETE', path: `/v1/customers/${customer}` })

  const shown = new Set(answers.flatMap(({ text }) => derivedIn(text)))
  // Answers of three intents and three sessions. An intent that a session created is only read by itself.
  expect(shown.size).toBe(6)
  const text = await dump()
  for (const { id } of [plain, named, session]) expect(text).toContain(id.slice(-12))
  expect(heldIn(text, shown)).toEqual([])
  expect(derivedIn(text)).toEqual([])
})

test('a row that holds a secret is detected', async () => {
  const { id, client_secret: secret = '' } = await createIntent(api)
  await store(id, secret)
  const [derived = ''] = derivedIn(secret)
  expect(heldIn(await dump(), [derived])).toEqual([derived])
  await store(id, null)
})

/** A row of a release that stored random secrets, which this code no longer writes. */
async function store(id: string, secret: string | null): Promise<void> {
  const table = id.startsWith('pi_') ? 'payment_intents' : 'checkout_sessions'
  const written = { client_secret: secret } as never
  await api.db.transact((tx) => tx.updateTable(table).set(written).where('id', '=', id.slice(3)).execute())
}

test('a secret that was stored before secrets were derived works and is shown; no other works', async () => {
  const intent = await createIntent(api)
  const { body: session } = await api.call(createSessionCall())
  const older = (id: string) => `${id}_secret_${'s'.repeat(43)}`
  for (const { id } of [intent, session]) await store(id, older(id))
  const stored = `${older(session.id)}.pk_test_acme`

  expect((await readIntent(api, intent.id)).body.client_secret).toBe(older(intent.id))
  expect((await readSession(api, session.id)).body).toMatchObject({
    client_secret: stored,
    url: `http://pay.test/c/${session.id}#${stored}`,
  })
  expect((await api.call(readInBrowser(intent.id, older(intent.id)))).status).toBe(200)
  expect((await api.call(readSessionInBrowser(session.id, stored))).status).toBe(200)
  expect((await api.call(readInBrowser(session.payment_intent, stored))).status).toBe(200)
  expect(await api.call(readInBrowser(intent.id, intent.client_secret))).toBeRefusal('resource_missing')
  const derived = readSessionInBrowser(session.id, session.client_secret)
  expect(await api.call(derived)).toBeRefusal('resource_missing')
})

test('an answer that was stored with its secret is replayed unchanged', async () => {
  const key = randomUUID()
  const first = await api.call(createCall(intentForm, { key }))
  const written = { body: first.text } as never
  await api.db.transact((tx) =>
    tx.updateTable('idempotency_keys').set(written).where('key', '=', key).execute(),
  )
  expect(await api.call(createCall(intentForm, { key }))).toReplay(first)
})

test('during a key change, the secrets of both keys work, and replays do not change', async () => {
  const announced = await api.deploy(api.rails, [clientSecretKey, nextKey])
  const turned = await api.deploy(api.rails, [nextKey, clientSecretKey])
  const over = await api.deploy(api.rails, [nextKey])
  const calls = [
    createCall(intentForm, { key: randomUUID() }),
    createSessionCall(sessionForm, { key: randomUUID() }),
  ]
  for (const call of calls) {
    const before = await api.call(call)
    expect(await announced.call(call)).toReplay(before)
    expect(await turned.call(call)).toReplay(before)
    const old: string = before.body.client_secret
    const read = (secret: string): TestCall =>
      browserCall(
        before.body.object === 'payment_intent'
          ? `/payment_intents/${before.body.id}`
          : `/checkout/sessions/${before.body.id}`,
        { secret },
      )
    const path = `${call.path}/${before.body.id}`
    const next: string = (await turned.call({ path })).body.client_secret
    expect([old, next]).toEqual([
      expect.stringContaining('_secret_1v') as string,
      expect.stringContaining('_secret_2v') as string,
    ])
    for (const replica of [announced, turned]) {
      expect((await replica.call(read(old))).status).toBe(200)
      expect((await replica.call(read(next))).status).toBe(200)
    }
    expect((await over.call(read(next))).status).toBe(200)
    expect(await over.call(read(old))).toBeRefusal('resource_missing')
    // After the old key was removed, requests are still answered, with a secret that works.
    expect((await over.call(call)).body.client_secret).toBe(next)
  }
})
