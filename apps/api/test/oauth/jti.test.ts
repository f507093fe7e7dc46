import { randomUUID } from 'node:crypto'
import { openTestDatabase } from '@merchant-payments/db/testing'
import { cloneDatabase } from '@merchant-payments/testing'
import { afterAll, describe, expect, test } from 'vitest'
import { rsaKeys } from './forge.ts'
import {
  assertionOf,
  clients,
  clock,
  type Form,
  formOf,
  invalidClient,
  nowSec,
  postToken,
  shopKey,
  stallKey,
} from './merchants.ts'
import { bootReplica } from './replica.ts'

const database = await cloneDatabase()
const sql = openTestDatabase(database.appUrl)
const key = { kid: 'service-1', privateKey: rsaKeys().privateKey }
const boot = () => bootReplica({ databaseUrl: database.appUrl, clock, key, clients })
const replica = await boot()
afterAll(async () => {
  await replica[Symbol.asyncDispose]()
  await sql.close()
  await database.drop()
})

const post = (form: Form, to = replica) => postToken(to, form)

describe('a jti', () => {
  test('is accepted once, however many requests and replicas receive the assertion [§5.2]', async () => {
    await using other = await boot()
    const form = formOf()
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => post(form, n % 2 === 0 ? replica : other)),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const lost = answers.filter(({ status }) => status !== 200)
    expect(lost.map(({ status, body }) => ({ status, body }))).toEqual(
      Array.from({ length: 49 }, () => ({ status: 401, body: invalidClient })),
    )
  })

  test('of each of many assertions, posted to two replicas at once, is accepted once', async () => {
    await using other = await boot()
    const forms = Array.from({ length: 40 }, () => formOf())
    const answers = await Promise.all([
      ...forms.map((form) => post(form)),
      ...forms.toReversed().map((form) => post(form, other)),
    ])
    const issued = forms.map((_, n) => [answers[n], answers[answers.length - 1 - n]])
    expect(issued.map((pair) => pair.map((answer) => answer?.status ?? 0).sort((a, b) => a - b))).toEqual(
      forms.map(() => [200, 401]),
    )
  })

  test('stays used across a restart, until the assertion is too old anyway', async () => {
    const form = formOf({
      client_assertion: assertionOf('shop', shopKey, {
        jti: 'c0ffee00-0000-4000-8000-000000000001',
        exp: nowSec + 300,
      }),
    })
    expect((await post(form)).status).toBe(200)
    await using restarted = await boot()
    expect((await post(form, restarted)).status).toBe(401)
    const rows = await sql.reader
      .selectFrom('spent_jtis')
      .selectAll()
      .where('jti', '=', 'c0ffee00-0000-4000-8000-000000000001')
      .execute()
    expect(rows).toEqual([
      { jti: 'c0ffee00-0000-4000-8000-000000000001', expires_at: (nowSec + 360) * 1_000 },
    ])
  })

  test('is used up for every merchant, and in either letter case [§5.2]', async () => {
    const jti = randomUUID()
    expect((await post(formOf({ client_assertion: assertionOf('shop', shopKey, { jti }) }))).status).toBe(200)
    const stalls = assertionOf('stall', stallKey, { jti }, { alg: 'RS256', kid: 'one' })
    expect((await post(formOf({ client_id: 'stall', client_assertion: stalls }))).status).toBe(401)
    const upper = assertionOf('shop', shopKey, { jti: jti.toUpperCase() })
    expect((await post(formOf({ client_assertion: upper }))).status).toBe(401)
  })

  test('is not used up by a forger who knows it [§5.3]', async () => {
    const jti = randomUUID()
    const forged = formOf({ client_assertion: assertionOf('shop', stallKey, { jti }) })
    expect((await post(forged)).status).toBe(401)
    expect((await post(formOf({ client_assertion: assertionOf('shop', shopKey, { jti }) }))).status).toBe(200)
  })

  test('is not used up by a request that is refused before the client is known', async () => {
    const form = formOf()
    expect((await post({ ...form, grant_type: 'password' })).status).toBe(400)
    expect((await post(form)).status).toBe(200)
  })

  test('is used up by a request that is refused for its parameters', async () => {
    const form = formOf()
    expect((await post({ ...form, scope: 'payments:admin' })).status).toBe(400)
    expect((await post(form)).status).toBe(401)
  })
})

test.each([
  ['draining', 200],
  ['frozen', 200],
  ['left', 503],
  ['arriving', 503],
] as const)(
  'a client that moves to another cell, and is %s, is answered with %d',
  async (state, expected) => {
    const owner = openTestDatabase(database.url)
    const form = formOf({ client_id: 'kiosk' })
    const row = { merchant_id: 'kiosk', state, move_id: randomUUID(), other_cell: 'cell_b' }
    await owner.transact((tx) => tx.insertInto('merchant_moves').values(row).execute())
    const answer = await post(form)
    await owner.transact((tx) => tx.deleteFrom('merchant_moves').execute())
    await owner.close()
    expect(answer.status).toBe(expected)
    if (expected !== 503) return
    expect(answer.body).toMatchObject({ error: 'temporarily_unavailable' })
    // The assertion is not spent, so the retry may carry it again.
    expect((await post(form)).status).toBe(200)
  },
)

test('a disabled client is refused on its next request, uses up no jti, and is accepted again once enabled [§5.1.5, §5.3]', async () => {
  const form = formOf({ client_id: 'kiosk' })
  await sql.transact((tx) =>
    tx.insertInto('disabled_clients').values({ client_id: 'kiosk', reason: 'a test' }).execute(),
  )
  const { status, body } = await post(form)
  expect({ status, body }).toEqual({ status: 401, body: invalidClient })
  expect(replica.refusals.at(-1)).toContain('"reason":"client_disabled"')
  await sql.transact((tx) => tx.deleteFrom('disabled_clients').execute())
  expect((await post(form)).status).toBe(200)
})
