import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { connect } from '../src/client.ts'
import { cloneDatabase } from '../src/index.ts'
import { findViolations, type Movement } from '../src/invariants.ts'
import { countPending } from '../src/pending.ts'

const INTENT = '019347a0-0000-7000-8000-000000000001'
const REFUND = '019347a0-0000-7000-8000-000000000002'
const paid: Movement = { reference: 'ref-1', amount: '400' }

const database = await cloneDatabase()
const client = await connect(database.url)
beforeEach(async () => {
  await client.query(`truncate refunds, refund_jobs, charge_returns, return_jobs, charges, checkout_sessions,
    payment_intents, events, delivery_attempts, idempotency_keys, customer_erasures, customers cascade`)
  // In one transaction, because the constraints accept none of the three rows without the others.
  await client.query('begin')
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
  await client.query('commit')
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
    `insert into events (merchant_id, id, type, body, position)
      values ('m', gen_random_uuid(), $1, $2, (select count(*) + 1 from events))`,
    [type, JSON.stringify(body)],
  )
}

async function refundViolations(
  credits: readonly Movement[] = [paid],
  countsWithinMs?: number,
): Promise<string[]> {
  const debits = [{ reference: 'charge', amount: '1000' }]
  const run = { databaseUrl: database.url, debits, credits, journal: [], received: null, endpoints: 0 }
  return findViolations(countsWithinMs === undefined ? run : { ...run, countsWithinMs })
}

describe('I7', () => {
  test('a refund that is reserved, announced and paid once violates nothing', async () => {
    expect(await refundViolations()).toEqual([])
  })

  test.each<[string, string, string]>([
    [
      'more is held than refunds sum up to',
      'update payment_intents set refund_reserved = 401',
      'reserves 401',
    ],
    ['less is held', 'update payment_intents set refund_reserved = 0', 'reserves 0'],
    ['a refund is not told', `delete from events where type = 'charge.refunded'`, 'has 0 events'],
    [
      'an event says that a refund failed that has not failed',
      `update events set body = replace(body, '"pending"', '"failed"')`,
      'its failure 1',
    ],
    ['a refund is left', `update refunds set instruction = 'sent'`, 'is still sent'],
  ])('%s', async (_, sql, found) => {
    await client.query('set session_replication_role = replica')
    await client.query(sql)
    await client.query('set session_replication_role = origin')
    expect(await refundViolations()).toContainEqual(expect.stringContaining(found))
  })

  test.each<[string, readonly Movement[], string]>([
    ['twice', [paid, paid], 'paid ref-1 2 times'],
    ['never', [], 'accepted ref-1, and paid nothing'],
    ['in another amount', [{ ...paid, amount: '500' }], 'paid 500'],
    ['under a reference that nobody knows', [paid, { ...paid, reference: 'ref-2' }], 'paid ref-2'],
  ])('the rail paid %s', async (_, credits, found) => {
    expect(await refundViolations(credits)).toEqual([expect.stringContaining(found)])
  })
})

describe('I7 of jobs', () => {
  const job = (refund: string) =>
    client.query(
      `insert into refund_jobs (merchant_id, refund_id, rail, due_at) values ('m', $1, 'rail', now())`,
      [refund],
    )

  test('a refund that its rail has accepted may have a job, and one that it may have requires one', async () => {
    await job(REFUND)
    expect(await refundViolations()).toEqual([])
    await client.query('alter table refunds disable trigger all')
    await client.query(`update refunds set instruction = 'sent'`)
    await client.query('alter table refunds enable trigger all')
    await client.query('delete from refund_jobs')
    expect(await refundViolations([])).toContainEqual(expect.stringContaining('sent without a job'))
  })

  test('a job belongs to an existing refund, and does not rest', async () => {
    await job(INTENT)
    await client.query('update refund_jobs set rested_at = now()')
    expect(await refundViolations()).toEqual([
      expect.stringContaining('which does not exist'),
      expect.stringContaining('rests'),
    ])
  })
})

describe('I13', () => {
  const DUPLICATE = '019347a0-0000-7000-8000-000000000003'
  const back: Movement = { reference: 'back-1', amount: '1000' }
  const twice = [
    { reference: 'charge', amount: '1000' },
    { reference: 'again', amount: '1000' },
  ]
  const returnViolations = (credits: readonly Movement[]) =>
    findViolations({
      databaseUrl: database.url,
      debits: twice,
      credits: [paid, ...credits],
      journal: [],
      received: null,
      endpoints: 0,
    })
  const insertReturn = (reference: string) =>
    client.query(
      `insert into charge_returns (merchant_id, id, charge_id, payment_intent_id, amount, currency, opened_at, rail,
          reference, instruction, submit_deadline)
        values ('m', gen_random_uuid(), $1, $2, 1000, 'XAF', now(), 'rail', $3, 'accepted', now())`,
      [DUPLICATE, INTENT, reference],
    )
  beforeEach(async () => {
    await client.query(
      `insert into charges (merchant_id, id, payment_intent_id, rail, status, amount, currency, reference, opened_at,
          submit_deadline)
        values ('m', $1, $2, 'rail', 'duplicate', 1000, 'XAF', 'again', now(), now())`,
      [DUPLICATE, INTENT],
    )
    await insertReturn('back-1')
  })

  test('a duplicate that was returned once violates nothing', async () => {
    expect(await returnViolations([back])).toEqual([])
  })

  test('the rail pays a return once and whole', async () => {
    expect(await returnViolations([])).toEqual([expect.stringContaining('accepted back-1, and paid nothing')])
    expect(await returnViolations([back, back])).toEqual([expect.stringContaining('paid back-1 2 times')])
    expect(await returnViolations([{ ...back, amount: '1' }])).toEqual([
      expect.stringContaining('paid 1 for'),
    ])
  })

  test('a duplicate is returned at most once, and whole', async () => {
    await client.query('drop index charge_returns_one')
    await insertReturn('back-2')
    expect(await returnViolations([back, { ...back, reference: 'back-2' }])).toEqual([
      expect.stringContaining('with returns of 2000'),
    ])
    await client.query('truncate charge_returns')
    await client.query(
      `create unique index charge_returns_one on charge_returns (charge_id, merchant_id) where instruction <> 'refused'`,
    )
  })

  test('no event reports a return', async () => {
    const { rows } = await client.query<{ id: string }>('select id from charge_returns')
    await tell('charge.refund.updated', `rt_${rows[0]?.id}`, 'pending')
    expect(await returnViolations([back])).toEqual([expect.stringContaining('names the return')])
  })
})

test('a refund that its rail has not accepted is under way', async () => {
  expect(await countPending(database.url)).toEqual({})
  await client.query('alter table refunds disable trigger all')
  await client.query(`update refunds set instruction = 'unsent'`)
  await client.query('alter table refunds enable trigger all')
  expect(await countPending(database.url)).toEqual({ 'unsent refunds': 1 })
})

describe('I14', () => {
  const CUSTOMER = '019347a0-0000-7000-8000-000000000003'
  const redacted = Array.from({ length: 9 }, () => "'[redacted]'").join()
  const erased = `insert into customers (merchant_id, id, name, email, phone, line1, line2, city, state, postal_code,
      country, metadata, livemode, last_used_at, erased_at)
    values ('m', '${CUSTOMER}', ${redacted}, '{}', false, now(), now())`
  const told = `insert into events (merchant_id, id, type, body, customer_id, position)
    values ('m', gen_random_uuid(), 'customer.deleted',
      '{"data":{"object":{"id":"cus_${CUSTOMER.replaceAll('-', '')}","object":"customer","name":"[redacted]"}}}',
      '${CUSTOMER}', (select count(*) + 1 from events))`
  const copied = `update payment_intents set customer_id = '${CUSTOMER}';
    update refunds set customer_id = '${CUSTOMER}', rail_message = '[redacted]'`

  test('a completely erased customer violates nothing', async () => {
    for (const sql of [erased, told, copied]) await client.query(sql)
    expect(await refundViolations()).toEqual([])
  })

  test.each([
    ['an intent', `update payment_intents set error_message = 'Ada'`],
    ['a charge', `update charges set payer_msisdn = '1'`],
    ['a refund', `update refunds set rail_code = 'ADA'`],
    [
      'the number of an earlier refund',
      `update refunds set instruction = 'sent', destination_msisdn = '1', submit_deadline = now(),
        opened_at = now() - interval '1 hour'`,
    ],
    [
      'an attempt',
      `insert into delivery_attempts (merchant_id, delivery_id, number, event_id, started_at, duration_ms,
          response_excerpt, customer_id)
        values ('m', gen_random_uuid(), 1, gen_random_uuid(), now(), 1, 'Hello Ada', '${CUSTOMER}')`,
    ],
    ['an event', `update events set body = replace(body, '"[redacted]"', '"Ada"')`],
    [
      'an answer',
      `insert into idempotency_keys (merchant_id, scope, key, fingerprint, status, body, customer_id, expires_at)
        values ('m', 'v1', 'k', '', 200, '{"object":"customer","name":null}', '${CUSTOMER}', now())`,
    ],
  ])('%s still holds personal data', async (_, sql) => {
    for (const each of [erased, told, copied]) await client.query(each)
    await client.query('alter table refunds disable trigger all')
    await client.query(sql)
    await client.query('alter table refunds enable trigger all')
    expect(await refundViolations()).toContainEqual(expect.stringContaining('words of an erased customer'))
  })

  test('an event of a customer belongs to another one', async () => {
    const other = `update events set body = replace(body, '"cus_0', '"cus_1') where type = 'customer.deleted'`
    for (const sql of [erased, told, copied, other]) await client.query(sql)
    expect(await refundViolations()).toEqual([expect.stringContaining(`belongs to ${CUSTOMER}`)])
  })

  test.each([
    ['is not told', [erased, copied], 'has 0 events'],
    ['is told twice', [erased, copied, told, told], 'has 2 events'],
    [
      'is not finished',
      [
        erased,
        copied,
        told,
        `insert into customer_erasures (merchant_id, customer_id, begun_at, keeps_row, clearing)
          values ('m', '${CUSTOMER}', now(), true, 'events')`,
      ],
      'is not finished',
    ],
  ])('an erasure %s', async (_, statements, found) => {
    for (const sql of statements) await client.query(sql)
    expect(await refundViolations()).toEqual([expect.stringContaining(found)])
  })
})

describe('I1', () => {
  const more = (count: number, status: string) =>
    client.query(
      `insert into charges (merchant_id, id, payment_intent_id, rail, status, amount, currency, reference, opened_at,
          submit_deadline)
        select 'm', gen_random_uuid(), $1, 'rail', $2, 1000, 'XAF', gen_random_uuid(), now(), now()
        from generate_series(1, $3)`,
      [INTENT, status, count],
    )
  const crowded = [expect.stringContaining('a bounded number of charges')]

  test('25 charges that may have reached their rail, and 100 in all, violate nothing', async () => {
    await more(24, 'failed')
    await more(75, 'abandoned')
    expect(await refundViolations()).toEqual([])
  })

  test('one more of either is a violation', async () => {
    await more(25, 'failed')
    expect(await refundViolations()).toEqual(crowded)
    await client.query(`delete from charges where status = 'failed'`)
    await more(100, 'abandoned')
    expect(await refundViolations()).toEqual(crowded)
  })
})

test.each([
  ['an intent', 'update payment_intents set client_secret = $1'],
  [
    'an answer',
    `insert into idempotency_keys (merchant_id, scope, key, fingerprint, status, body, expires_at)
      values ('m', 'v1', 'k', '', 201, json_build_object('client_secret', $1::text)::text, now())`,
  ],
  ['an event', `update events set body = replace(body, '"succeeded"', to_json($1::text)::text)`],
])('I15 a client secret in %s is found', async (_, spoil) => {
  await client.query(spoil, [`pi_${'0'.repeat(32)}_secret_1v${'a'.repeat(43)}`])
  const violations = await refundViolations()
  expect(violations.filter((line) => line.startsWith('I15'))).toHaveLength(1)
})

describe('I16', () => {
  beforeEach(async () => {
    await client.query(
      `insert into charge_rollups (size_min, bucket, merchant_id, rail, currency, opened, succeeded, failed, duplicate,
          waiting, amount)
        select size, date_trunc('hour', now()), 'm', 'none', 'XAF', size, 0, 0, 0, 0, 0 from unnest(array[5, 60]) size`,
    )
  })
  afterEach(() => client.query('delete from charge_rollups'))

  test('a count of charges that the ledger does not have, and an hour that differs, are found', async () => {
    const violations = await refundViolations([paid], 0)
    expect(violations.filter((line) => line.startsWith('I16'))).toHaveLength(2)
  })

  test('a difference that the worker mends in its next run violates nothing', async () => {
    const [violations] = await Promise.all([
      refundViolations(),
      delay(500).then(() => client.query('delete from charge_rollups')),
    ])
    expect(violations).toEqual([])
  })
})

describe('answers to one key', () => {
  const answered = (request: string, ...answers: readonly [status: number, body: string][]) =>
    findViolations({
      databaseUrl: database.url,
      debits: [{ reference: 'charge', amount: '1000' }],
      credits: [paid],
      journal: answers.map(([status, body]) => ({ merchant: 'm', key: 'k', request, status, body })),
      received: null,
      endpoints: 0,
    })
  const confirm = 'POST /v1/payment_intents/pi_1/confirm rail=x'
  const underWay = '{"error":{"code":"charge_in_progress"}}'

  test.each<[string, string, [number, string]]>([
    ['a 200 after another 200', confirm, [200, '{"status":"processing"}']],
    ['a 200 after a conflict', confirm, [409, '{"error":{"code":"charge_terminal"}}']],
    ['a 200 after a charge under way, to a cancel', 'POST /v1/payment_intents/pi_1/cancel ', [409, underWay]],
  ])('%s is a violation', async (_, request, first) => {
    expect(await answered(request, first, [200, '{"status":"succeeded"}'])).toEqual([
      `I6: two answers for the key k: ${first[0]} and 200`,
    ])
  })

  test.each<[string, [number, string]]>([
    ['the end of a charge that was under way', [409, underWay]],
    ['the end of a call that held the key', [400, '{"error":{"code":"idempotency_key_in_flight"}}']],
    ['the outcome of a 502', [502, '{}']],
  ])('to a confirm may become %s', async (_, first) => {
    expect(await answered(confirm, first, [200, '{"status":"succeeded"}'])).toEqual([])
  })
})
