import { readFile } from 'node:fs/promises'
import { cloneDatabase } from '@merchant-payments/testing'
import { connect } from '@merchant-payments/testing/client'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

const database = await cloneDatabase()
const client = await connect(database.url)
beforeAll(() => client.query('drop index charges_statement_any_case'))
beforeEach(() => client.query('truncate payment_intents, charges cascade'))
afterAll(async () => {
  await client.end()
  await database.drop()
})

/** Runs the one statement of a migration that changes rows. */
async function backfill(name: string) {
  const text = await readFile(new URL(`../migrations/${name}`, import.meta.url), 'utf8')
  const [statement] = /^with \w+ as [^;]+;/m.exec(text) ?? []
  await client.query(statement ?? '')
}

/** Charges that were ruled before each transaction proved one charge only, with their rulings in order. */
async function insertRuled(rulings: readonly (readonly [charge: number, statement: string | null])[]) {
  const uuid = (n: number) => `00000000-0000-7000-8000-00000000000${n}`
  for (const charge of new Set(rulings.map(([n]) => n))) {
    await client.query(
      `with i as (
        insert into payment_intents (merchant_id, id, amount, currency, status, payment_method_types, metadata,
          client_secret, livemode, refund_reserved)
        values ('acme', $1, 500, 'XAF', 'processing', '{mtn_momo_cm}', '{}', 'secret', false, 0) returning id)
      insert into charges (merchant_id, id, payment_intent_id, rail, status, amount, currency, reference, opened_at,
        submit_deadline, ruling)
      select 'acme', id, id, 'mtn_momo_cm', 'live', 500, 'XAF', id, now(), now(), 'succeeded' from i`,
      [uuid(charge)],
    )
  }
  for (const [charge, statement] of rulings) {
    await client.query(
      `insert into charge_rulings (merchant_id, charge_id, outcome, reason, operator, statement)
       values ('acme', $1, 'succeeded', 'A test.', 'ada', $2)`,
      [uuid(charge), statement],
    )
  }
}

async function proofs() {
  const { rows } = await client.query<{ n: number; statement: string | null; unproven: boolean }>(
    `select right(id::text, 1)::integer as n, statement, is_unproven(merchant_id, id, ruling, rail_txn_id) as unproven
     from charges order by id`,
  )
  return rows
}

test('transactions that were given before stay with the first charge that has them', async () => {
  await insertRuled([
    [1, 'T-1'],
    [2, 'T-1'],
    [3, 'T-2'],
    [4, 'T-3'],
    [4, 'T-4'],
    [5, 'T-3'],
    [6, null],
  ])
  await backfill('0064_one_charge_per_transaction.sql')

  expect(await proofs()).toEqual([
    { n: 1, statement: 'T-1', unproven: false },
    { n: 2, statement: null, unproven: true },
    { n: 3, statement: 'T-2', unproven: false },
    { n: 4, statement: 'T-4', unproven: false },
    { n: 5, statement: 'T-3', unproven: false },
    { n: 6, statement: null, unproven: true },
  ])
})

test('a transaction that was given in two spellings stays with the charge that had it first', async () => {
  await insertRuled([
    [1, 'uuid-a'],
    [2, 'UUID-A'],
    [3, 'uuid-b'],
    [3, 'Uuid-A'],
    [4, 'UUID-B'],
  ])
  await client.query(
    `update charges c set statement = (
      select statement from charge_rulings r where r.charge_id = c.id order by r.id desc limit 1)`,
  )
  await backfill('0068_one_charge_in_any_case.sql')

  expect(await proofs()).toEqual([
    { n: 1, statement: 'uuid-a', unproven: false },
    { n: 2, statement: null, unproven: true },
    { n: 3, statement: null, unproven: true },
    { n: 4, statement: 'UUID-B', unproven: false },
  ])
  const { rows } = await client.query(
    `select right(charge_id::text, 1)::integer as n, outcome, reason from charge_rulings where operator = 'migrate' order by 1`,
  )
  const reason = 'An earlier ruling gave the same transaction, in another case, to another charge.'
  expect(rows).toEqual([2, 3].map((n) => ({ n, outcome: 'succeeded', reason })))
  await client.query(
    'create unique index charges_statement_any_case on charges (rail, lower(statement)) where statement is not null',
  )
})
