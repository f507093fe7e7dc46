import { cloneDatabase } from '@merchant-payments/testing'
import pg from 'pg'
import { afterAll, describe, expect, test } from 'vitest'
import { connect } from '@merchant-payments/testing/client'

const database = await cloneDatabase()
const client = await connect(database.url)
afterAll(async () => {
  await client.end()
  await database.drop()
})

const rows = async <Row extends pg.QueryResultRow>(statement: string, values: unknown[] = []) =>
  (await client.query<Row>(statement, values)).rows

const newClient = () => new pg.Client({ connectionString: database.url })

const insertEvent = `insert into events (merchant_id, id, type, body, position) values ('m', uuidv7(), 'invoice.paid', '{}', 1)`

const ensure = (at: string) => client.query('select ensure_partitions($1)', [at])

/** A UUIDv7 of this instant. */
const uuidAt = (at: string, tail = '70008000000000000000') =>
  `${Date.parse(at).toString(16).padStart(12, '0')}${tail}`

const put = {
  events: (id: string) =>
    client.query(
      `insert into events (merchant_id, id, type, body, position) values ('m', $1, 'invoice.paid', '{}', 1)`,
      [id],
    ),
  deliveries: (id: string) =>
    client.query(
      `insert into deliveries (merchant_id, event_id, endpoint_id, id, status, created_at)
      values ('m', $1, 'hook', gen_random_uuid(), 'pending', now())`,
      [id],
    ),
  delivery_attempts: (id: string) =>
    client.query(
      `insert into delivery_attempts (merchant_id, delivery_id, number, event_id, started_at, duration_ms)
      values ('m', $1, 1, gen_random_uuid(), now(), 5)`,
      [id],
    ),
}
type Table = keyof typeof put
const tables = Object.keys(put) as Table[]
const keys = { events: 'id', deliveries: 'event_id', delivery_attempts: 'delivery_id' }

const partitionOf = async (table: Table, id: string) =>
  (
    await rows<{ part: string }>(
      `select tableoid::regclass::text as part from ${table} where ${keys[table]} = $1`,
      [id],
    )
  )[0]?.part

const partitionsOf = async (table: Table) =>
  (
    await rows<{ part: string }>(
      `select inhrelid::regclass::text as part from pg_inherits where inhparent = '${table}'::regclass order by 1`,
    )
  ).map(({ part }) => part)

test('the month of the first migration and the three to come have partitions, and there is a default', async () => {
  const [months] = await rows<{ names: string[] }>(`select array_agg(to_char(
    date_trunc('month', applied_at at time zone 'UTC') + make_interval(months => n), 'YYYYMM') order by n) as names
    from schema_migrations, generate_series(0, 3) as n where version = 1`)
  const suffixes = [...(months?.names ?? []), 'default']
  for (const table of tables) {
    expect(await partitionsOf(table)).toEqual(suffixes.map((suffix) => `${table}_${suffix}`))
  }
})

// Each table uses its own years, because a month is created for all three at once.
describe.each([
  ['events', 2031],
  ['deliveries', 2041],
  ['delivery_attempts', 2051],
] as const)('%s', (table, year) => {
  test('of a month go to its partition, from its first millisecond to its last, in UTC', async () => {
    await client.query(`set time zone 'Pacific/Kiritimati'`)
    await ensure(`${year}-05-17T12:00:00Z`)
    const before = uuidAt(`${year}-04-30T23:59:59.999Z`, '7fffbfffffffffffffff')
    const first = uuidAt(`${year}-05-01T00:00:00.000Z`)
    const last = uuidAt(`${year}-05-31T23:59:59.999Z`, '7fffbfffffffffffffff')
    const after = uuidAt(`${year}-06-01T00:00:00.000Z`)
    const parts: unknown[] = []
    for (const id of [before, first, last, after]) {
      await put[table](id)
      parts.push(await partitionOf(table, id))
    }
    expect(parts).toEqual([
      `${table}_default`,
      `${table}_${year}05`,
      `${table}_${year}05`,
      `${table}_default`,
    ])
  })

  test('that came before their partition move into it when it is made', async () => {
    const early = uuidAt(`${year + 1}-02-28T10:00:00Z`)
    const other = uuidAt(`${year + 1}-03-01T00:00:00Z`)
    await put[table](early)
    await put[table](other)
    const unchanged = await rows(`select * from ${table} where ${keys[table]} in ($1, $2) order by 1, 2`, [
      early,
      other,
    ])

    await ensure(`${year + 1}-02-01T00:00:00Z`)

    expect([await partitionOf(table, early), await partitionOf(table, other)]).toEqual([
      `${table}_${year + 1}02`,
      `${table}_default`,
    ])
    expect(
      await rows(`select * from ${table} where ${keys[table]} in ($1, $2) order by 1, 2`, [early, other]),
    ).toEqual(unchanged)
  })

  test('are alike in every partition: columns, constraints, indexes and triggers', async () => {
    await ensure(`${year + 2}-01-01T00:00:00Z`)
    const definitions: Definition[] = []
    for (const part of await partitionsOf(table)) definitions.push(...(await definitionsOf(part)))
    const [first, ...others] = definitions
    expect(first?.columns.length).toBeGreaterThan(5)
    expect(first?.indexes.length).toBeGreaterThan(1)
    for (const other of others) expect(other).toEqual(first)
  })
})

interface Definition extends pg.QueryResultRow {
  columns: string[]
  constraints: string[]
  indexes: string[]
  triggers: string[]
}

const definitionsOf = (part: string) =>
  rows<Definition>(
    `select
        array(select concat_ws(' ', attname, format_type(atttypid, atttypmod), attnotnull, pg_get_expr(adbin, adrelid))
          from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
          where attrelid = $1::text::regclass and attnum > 0 and not attisdropped order by attnum) as columns,
        array(select pg_get_constraintdef(oid) from pg_constraint
          where conrelid = $1::text::regclass and contype in ('c', 'p') order by 1) as constraints,
        array(select regexp_replace(pg_get_indexdef(indexrelid), 'INDEX .* USING', 'USING') from pg_index
          where indrelid = $1::text::regclass order by 1) as indexes,
        array(select tgname::text from pg_trigger where tgrelid = $1::text::regclass order by 1) as triggers`,
    [part],
  )

describe('making partitions', () => {
  test('again, or by several workers at once, makes them once', async () => {
    const workers = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const worker = newClient()
        await worker.connect()
        return worker
      }),
    )
    await Promise.all(workers.map((worker) => worker.query(`select ensure_partitions('2064-01-01Z')`)))
    await ensure('2064-01-31T23:59:59Z')
    await Promise.all(workers.map((worker) => worker.end()))
    for (const table of tables) {
      expect((await partitionsOf(table)).filter((part) => part.includes('2064'))).toEqual([`${table}_206401`])
    }
  })

  test('gives way to a dump, for whose end no reader and no writer waits', async () => {
    const [dump, other] = [newClient(), newClient()]
    await Promise.all([dump.connect(), other.connect()])
    await dump.query('begin; lock table events, deliveries, delivery_attempts in access share mode')
    // Any wait for a lock would fail the reader and the writer.
    await other.query(`set lock_timeout = '1ms'`)
    const over = new AbortController()
    const made = ensure('2065-01-01Z')
      .then(
        () => 'made',
        ({ code }: pg.DatabaseError) => code,
      )
      .finally(() => over.abort())
    let passed = 0
    for (; !over.signal.aborted; passed += 1) {
      await other.query(insertEvent)
      await other.query('select count(*) from events')
    }
    expect(await made).toBe('55P03')
    expect(passed).toBeGreaterThan(0)
    expect((await partitionsOf('events')).filter((part) => part.includes('2065'))).toEqual([])

    await dump.query('rollback')
    await ensure('2065-01-01Z')
    expect(await partitionsOf('events')).toContain('events_206501')
    await Promise.all([dump.end(), other.end()])
  })
})

describe('dropping an old month', () => {
  test('gives way to a dump, for whose end no writer waits', async () => {
    await ensure('2024-02-15Z')
    const [dump, writer] = [newClient(), newClient()]
    await Promise.all([dump.connect(), writer.connect()])
    await dump.query('begin isolation level repeatable read; lock table events in access share mode')
    // Any wait for a lock would fail the writer.
    await writer.query(`set lock_timeout = '1ms'`)
    const over = new AbortController()
    const drop = rows(`select * from drop_old_month('2025-01-01Z')`).finally(() => over.abort())
    let written = 0
    for (; !over.signal.aborted; written += 1) await writer.query(insertEvent)
    expect(await drop).toEqual([{ month: '202402', dropped: false, held: true }])
    expect(written).toBeGreaterThan(0)
    const oldest = `select * from drop_oldest_month('2025-01-01Z', false)`
    expect(await rows(oldest)).toEqual([{ month: '202402', outcome: 'held' }])

    await dump.query('rollback')
    expect(await rows(oldest)).toEqual([{ month: '202402', outcome: 'dropped' }])
    await Promise.all([dump.end(), writer.end()])
  })
})

test('the floor of an instant is below every UUIDv7 of its millisecond, and above those before', async () => {
  const [row] = await rows<{ below: boolean; above: boolean }>(
    `select uuid_v7_floor('2031-05-01 00:00:00.001Z') < $1::uuid as below, uuid_v7_floor('2031-05-01 00:00:00.001Z') > $2::uuid as above`,
    [uuidAt('2031-05-01T00:00:00.001Z'), uuidAt('2031-05-01T00:00:00.000Z', '7fffbfffffffffffffff')],
  )
  expect(row).toEqual({ below: true, above: true })
})

test('the planner’s statistics hold no copy of a text that an erasure must reach, in old and new partitions', async () => {
  await ensure('2041-01-15')
  const sampled = await rows<{ column: string }>(`
    select a.attrelid::regclass || '.' || a.attname as column
    from pg_attribute a join pg_class c on c.oid = a.attrelid and c.relkind in ('r', 'p')
    where a.attname in ('name', 'email', 'phone', 'line1', 'line2', 'city', 'state', 'postal_code', 'country',
        'latitude_microdeg', 'longitude_microdeg', 'error_message', 'error_decline_code', 'payer_msisdn', 'msisdn', 'rail_code',
        'rail_message', 'destination_msisdn', 'body', 'response_excerpt')
      and c.relnamespace = 'public'::regnamespace and c.relname !~ '^(schema_migrations|leases|staff_views|merchant_moves)$'
      and a.attstattarget is distinct from 0`)
  expect(sampled).toEqual([])
})
