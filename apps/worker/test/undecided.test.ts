import { type Rails, readUndecided } from '@merchant-payments/core'
import { expect, test } from 'vitest'
import { MERCHANT, START_MS, useDatabase } from './harness.ts'

const { db, query } = useDatabase()

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** Five minutes of approval and twenty for the decision. */
const TIME_MS = 25 * MINUTE_MS

const railsOf = (...codes: string[]) =>
  new Map(
    codes.map((code) => [code, { code, capabilities: { approvalWindowMs: 5 * MINUTE_MS } }]),
  ) as unknown as Rails

const insertCharge = (rail: string, status: string, openedAtMs: number, merchant: string = MERCHANT) =>
  query(
    `with ids as (select gen_random_uuid() as intent, gen_random_uuid() as charge),
      i as (insert into payment_intents (merchant_id, id, amount, currency, status, payment_method_types, metadata,
          client_secret, livemode)
        select $1, intent, 500, 'XAF', case when $3 = 'failed' then 'requires_payment_method' else 'processing' end,
          array[$2], '{}', 'secret', false from ids)
    insert into charges (merchant_id, id, payment_intent_id, rail, status, amount, currency, reference, opened_at,
        submit_deadline, settled_at)
      select $1, charge, intent, $2, $3, 500, 'XAF', charge::text, $4, $4, case when $3 = 'failed' then $4::timestamptz end from ids`,
    [merchant, rail, status, new Date(openedAtMs)],
  )

test('open charges are undecided 20 minutes after the approval window of their rail, and settled ones never', async () => {
  const rails = railsOf('mtn', 'orange', 'quiet')
  await insertCharge('mtn', 'live', START_MS - TIME_MS + 1)
  await insertCharge('mtn', 'live', START_MS - TIME_MS)
  await insertCharge('mtn', 'unconfirmed', START_MS - TIME_MS - 2 * HOUR_MS)
  await insertCharge('mtn', 'submitting', START_MS - TIME_MS - 30 * HOUR_MS)
  await insertCharge('mtn', 'failed', START_MS - TIME_MS - 3 * HOUR_MS)
  await insertCharge('orange', 'live', START_MS - TIME_MS)
  await insertCharge('removed', 'live', START_MS - TIME_MS)
  const rows = await readUndecided(db().reader, rails, START_MS)
  expect(rows.toSorted((a, b) => a.rail.localeCompare(b.rail))).toEqual([
    {
      rail: 'mtn',
      waiting: 3,
      withinHour: 1,
      withinSixHours: 2,
      oldestOpenedAtMs: START_MS - TIME_MS - 30 * HOUR_MS,
    },
    { rail: 'orange', waiting: 1, withinHour: 1, withinSixHours: 1, oldestOpenedAtMs: START_MS - TIME_MS },
  ])
  expect(await readUndecided(db().reader, railsOf(), START_MS)).toEqual([])
})

test('the charges of a merchant that has left are those of its new cell', async () => {
  await insertCharge('mtn', 'live', START_MS - TIME_MS, 'gone')
  await query(
    `insert into merchant_moves (merchant_id, state, move_id, other_cell) values ('gone', 'left', gen_random_uuid(), 'cell_b')`,
  )
  expect(await readUndecided(db().reader, railsOf('mtn'), START_MS)).toEqual([])
})
