import { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { cloneDatabase, type TestDatabase } from '../src/index.ts'
import { countPending, findViolations, type Movement } from '../src/invariants.ts'

const INTENT = '019347a0-0000-7000-8000-000000000001'
const REFUND = '019347a0-0000-7000-8000-000000000002'
const paid: Movement = { reference: 'ref-1', amount: '400' }

let database: TestDatabase
let client: Client
beforeAll(async () => {
  database = await cloneDatabase()
  client = new Client({ connectionString: database.url })
  await client.connect()
})
beforeEach(async () => {
  await client.query('truncate refunds, charges, checkout_sessions, payment_intents, events cascade')
  await client.query(
    `insert into payment_intents (merchant_id, id, amount, currency, status, payment_method_types, metadata,
        client_secret, livemode, refund_reserved)
      values ('m', $1, 1000, 'XAF', 'succeeded', '{rail}', '{}', 's', false, 400)`,
    [INTENT],
  )
  await client.query(
    `insert into charges (merchant_id, id, payment_intent_id, rail, status, amount, currency, reference, opened_at,
        submit_deadline)
      values ('m', $1, $1, 'rail', 'succeeded', 1000, 'XAF', 'charge', now(), now())`,
    [INTENT],
  )
  await client.query(
    `insert into refunds (merchant_id, id, payment_intent_id, status, amount, currency, metadata, livemode, opened_at,
        rail, reference, instruction, submit_deadline)
      values ('m', $2, $1, 'pending', 400, 'XAF', '{}', false, now(), 'rail', 'ref-1', 'accepted', now())`,
    [INTENT, REFUND],
  )
  await tell('payment_intent.succeeded', `pi_${INTENT}`, 'succeeded')
  await tell('charge.refunded', `re_${REFUND}`, 'pending')
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

async function tell(type: string, id: string, status: string): Promise<void> {
  const body = { type, data: { object: { id: id.replaceAll('-', ''), status } } }
  await client.query(
    `insert into events (merchant_id, id, type, body, fanout_state, fanout_due_at)
      values ('m', gen_random_uuid(), $1, $2, 'done', now())`,
    [type, JSON.stringify(body)],
  )
}

async function refundViolations(credits: readonly Movement[] = [paid]): Promise<string[]> {
  const debits = [{ reference: 'charge', amount: '1000' }]
  const run = { databaseUrl: database.url, debits, credits, journal: [], received: null, endpoints: 0 }
  return findViolations(run)
}

describe('I7', () => {
  test('a refund that is held, told and paid once violates nothing', async () => {
    expect(await refundViolations()).toEqual([])
  })

  test.each<[string, string, string]>([
    ['more is held than refunds sum up to', 'update payment_intents set refund_reserved = 401', 'holds 401'],
    ['less is held', 'update payment_intents set refund_reserved = 0', 'holds 0'],
    ['a refund is not told', `delete from events where type = 'charge.refunded'`, 'told 0 times'],
    [
      'a failure is told of a refund that has not failed',
      `update events set body = replace(body, '"pending"', '"failed"')`,
      'its failure 1',
    ],
    ['a refund is left', `update refunds set instruction = 'sent'`, 'is still sent'],
  ])('%s', async (_, sql, found) => {
    await client.query('alter table refunds disable trigger all')
    await client.query(sql)
    await client.query('alter table refunds enable trigger all')
    expect(await refundViolations()).toContainEqual(expect.stringContaining(found))
  })

  test.each<[string, readonly Movement[], string]>([
    ['twice', [paid, paid], 'paid ref-1 2 times'],
    ['never', [], 'took ref-1, and paid nothing'],
    ['in another amount', [{ ...paid, amount: '500' }], 'paid 500'],
    ['under a reference that nobody knows', [paid, { ...paid, reference: 'ref-2' }], 'paid ref-2'],
  ])('the rail paid %s', async (_, credits, found) => {
    expect(await refundViolations(credits)).toEqual([expect.stringContaining(found)])
  })
})

test('a refund that its rail has not taken is under way', async () => {
  expect(await countPending(database.url)).toBe(0)
  await client.query('alter table refunds disable trigger all')
  await client.query(`update refunds set instruction = 'unsent', instruct_at = now()`)
  await client.query('alter table refunds enable trigger all')
  expect(await countPending(database.url)).toBe(1)
})
