import { readdir, readFile } from 'node:fs/promises'
import { cloneDatabase } from '@merchant-payments/testing'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { connect } from '@merchant-payments/testing/client'

const NAME = '0017_money_agrees.sql'
const folder = new URL('../migrations/', import.meta.url)

const database = await cloneDatabase()
const client = await connect(database.url)
const read = (name: string) => readFile(new URL(name, folder), 'utf8')
const names = (await readdir(folder)).sort().filter((name) => name < NAME)
const earlier = await Promise.all(names.map(read))
const migration = await read(NAME)
afterAll(async () => {
  await client.end()
  await database.drop()
})

/** The schema before the migration, with a paid intent of 1000 that holds 400 for a refund. */
beforeEach(async () => {
  await client.query('drop schema public cascade; create schema public')
  for (const text of earlier) await client.query(text)
  await client.query(`
    insert into payment_intents (merchant_id, id, amount, currency, status, payment_method_types, metadata,
      client_secret, livemode, refund_reserved)
    values ('m', '${ID}', 1000, 'XAF', 'succeeded', '{rail}', '{}', 's', false, 400);
    insert into charges (merchant_id, id, payment_intent_id, rail, status, amount, currency, reference, opened_at,
      submit_deadline)
    values ('m', '${ID}', '${ID}', 'rail', 'succeeded', 1000, 'XAF', 'charge', now(), now());
    insert into refunds (merchant_id, id, payment_intent_id, status, amount, currency, metadata, livemode, opened_at,
      rail, reference, instruction, submit_deadline)
    values ('m', '${ID}', '${ID}', 'pending', 400, 'XAF', '{}', false, now(), 'rail', 'refund', 'accepted', now());
    insert into customers (merchant_id, id, name, metadata, livemode, last_used_at)
    values ('m', '${ID}', 'Awa', '{}', false, now())`)
})
const ID = '019347a0-0000-7000-8000-000000000001'

const billed = `insert into invoices (merchant_id, id, status, number, customer_id, currency, total, line_count,
    payment_intent_id, payment_method_types, metadata, livemode, finalized_at, paid_at)
  values ('m', '${ID}', 'paid', 1, '${ID}', 'XAF', 1000, 1, '${ID}', '{}', '{}', false, now(), now())`
const minted = `${billed}; update payment_intents set invoice_id = '${ID}'`

test('rows whose money agrees are taken as they are', async () => {
  await client.query(minted)
  const rows = async () =>
    (await client.query('select id, amount, refund_reserved from payment_intents')).rows
  const before = await rows()
  await client.query(migration)
  expect(await rows()).toEqual(before)
  expect(before).toHaveLength(1)
})

test.each([
  ['a charge of another amount', 'update charges set amount = 999', '23503'],
  ['a charge of another currency', `update charges set currency = 'EUR'`, '23503'],
  ['a succeeded intent without a charge', 'delete from charges', '23514'],
  ['a reservation without a refund', 'delete from refunds', '23514'],
  ['a refund without a reservation', 'update payment_intents set refund_reserved = 0', '23514'],
  ['a paid invoice with an intent of no invoice', billed, '23514'],
  ['a paid invoice of another total', minted.replace("'XAF', 1000, 1", "'XAF', 999, 1"), '23514'],
])('%s is refused, and nothing is changed', async (_, wrong, code) => {
  await client.query(wrong)
  await expect(client.query(migration)).rejects.toMatchObject({ code })
  const { rows } = await client.query(`select from pg_trigger where tgname = 'charges_made'`)
  expect(rows).toEqual([])
})
