import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { cloneDatabase, type TestDatabase } from '@merchant-payments/testing'
import { connect } from '@merchant-payments/testing/client'
import type pg from 'pg'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { migrate, readSchemaState, verifySchema } from '../src/index.ts'
import { ownFolder, parseMigration } from '../src/migrations/files.ts'
import { readBatch } from '../src/migrations/batches.ts'
import { readIndexChanges } from '../src/migrations/indexes.ts'

let database: TestDatabase
let owner: pg.Client
let path: string
let folder: URL

beforeEach(async () => {
  database = await cloneDatabase()
  owner = await connect(database.url)
  // This release's migrations, and later ones of the test.
  path = await mkdtemp(join(tmpdir(), 'migrations-'))
  await cp(ownFolder, path, { recursive: true })
  folder = pathToFileURL(`${path}/`)
})
afterEach(async () => {
  await owner.end()
  await database.drop()
  await rm(path, { recursive: true })
})

const write = (name: string, text: string) => writeFile(join(path, name), text)
const up = (options: Parameters<typeof migrate>[1] = {}) => migrate(database.url, { folder, ...options })
const rowsOf = async (text: string) => (await owner.query<Record<string, unknown>>(text)).rows
const recorded = async () =>
  (await rowsOf('select name from schema_migrations where version > 9000 order by version')).map(
    ({ name }) => name,
  )

const addShelf = `-- phase: expand
create table shelves (id integer primary key, height integer);
`
const dropHeight = `-- phase: contract
alter table shelves drop column height;
`

describe('phases', () => {
  test('expand leaves the contract migrations to a second run, and the other way round is refused', async () => {
    await write('9001_shelves.sql', addShelf)
    await write('9002_no_height.sql', dropHeight)
    await expect(up({ phase: 'contract' })).rejects.toThrow(
      /^9001_shelves.sql is missing: run "migrate up expand"/,
    )
    expect(await up({ phase: 'expand' })).toEqual(['9001_shelves.sql'])
    expect(await up({ phase: 'expand' })).toEqual([])
    expect(await up({ phase: 'contract' })).toEqual(['9002_no_height.sql'])
    expect(await recorded()).toEqual(['9001_shelves.sql', '9002_no_height.sql'])
  })

  test('are named by each new migration, and by none of the frozen ones', () => {
    expect(parseMigration('0026_refused_rows.sql', 'select 1').phase).toBe('expand')
    expect(() => parseMigration('0027_later.sql', 'select 1')).toThrow(/needs a line "-- phase: expand"/)
    expect(
      parseMigration('0027_later.sql', '-- phase: contract\n-- mode: batches\nupdate a set b = 1 limit 5'),
    ).toMatchObject({
      phase: 'contract',
      mode: 'batches',
    })
    expect(() => parseMigration('0027_later.sql', '-- phase: expand\n-- mode: quick\n')).toThrow(
      /mode "quick"/,
    )
  })
})

describe('locks', () => {
  /** A transaction that has read the table, and ends when it is told to. */
  async function holdTable(table: string) {
    const reader = await connect(database.url)
    await reader.query(`begin; select from ${table}`)
    return async () => {
      await reader.query('commit')
      await reader.end()
    }
  }

  test('a migration gives way to requests until it gets its locks', async () => {
    await write('9001_wider.sql', '-- phase: expand\nalter table customers add column nickname text;\n')
    const release = await holdTable('customers')
    const gaveWay: string[] = []
    const migrated = up({ report: (line) => gaveWay.push(line) })
    await expect.poll(() => gaveWay.filter((line) => line.includes('gives way')).length).toBeGreaterThan(1)
    // A request that came after the migration is not held up by it.
    await owner.query(`set statement_timeout = 2000; select from customers; reset statement_timeout`)
    await release()
    expect(await migrated).toEqual(['9001_wider.sql'])
  })

  test('a migration that never gets them changes nothing, says so, and its last try is bounded too', async () => {
    await write('9001_wider.sql', '-- phase: expand\nalter table customers add column nickname text;\n')
    const release = await holdTable('customers')
    await expect(up({ lockTriesMax: 3 })).rejects.toThrow(
      /^9001_wider.sql gave way 3 times and changed nothing/,
    )
    await release()
    expect(await recorded()).toEqual([])
  })

  test('runs at once wait for each other, also while one builds an index', async () => {
    await write('9001_shelves.sql', addShelf)
    await write(
      '9002_by_height.sql',
      '-- phase: expand\n-- mode: concurrently\ncreate index concurrently shelves_height on shelves (height);\n',
    )
    const runs = await Promise.all([up(), up(), up()])
    expect(runs.toSorted((a, b) => a.length - b.length)).toEqual([
      [],
      [],
      ['9001_shelves.sql', '9002_by_height.sql'],
    ])
  })
})

test('the time-outs of the role do not end a long migration', async () => {
  await owner.query(`create role impatient_${process.pid} login in role merchant_payments_owner;
    alter role impatient_${process.pid} set transaction_timeout = '100ms';
    alter role impatient_${process.pid} set statement_timeout = '100ms'`)
  onTestFinished(async () => {
    const { url, drop } = await cloneDatabase()
    const admin = await connect(url)
    await admin.query(`drop role impatient_${process.pid}`)
    await admin.end()
    await drop()
  })
  await write('9001_slow.sql', '-- phase: expand\nselect pg_sleep(0.5);\n')
  const url = new URL(database.url)
  url.username = `impatient_${process.pid}`
  expect(await migrate(url.href, { folder })).toEqual(['9001_slow.sql'])
})

test('a migration whose process stops within a transaction is ended, and its locks with it', async () => {
  const limit = `current_setting('idle_in_transaction_session_timeout')`
  await write('9001_limit.sql', `-- phase: expand\ncreate table limits as select ${limit} as rest;\n`)
  await up()
  expect(await rowsOf('select rest from limits')).toEqual([{ rest: '15s' }])
})

test.each([
  ['transaction', '-- phase: expand\nselect pg_sleep(60);\n'],
  [
    'batches',
    `-- phase: expand\n-- mode: batches\nupdate schema_migrations set name = name
    where version in (select 1 limit 1) and pg_sleep(60) is null;\n`,
  ],
])('a migration in mode %s whose session is ended fails with that', async (_mode, text) => {
  await write('9001_slow.sql', text)
  const ended = up().catch((error: unknown) => error)
  const session = `application_name = 'merchant-payments-migrate' and wait_event = 'PgSleep'
    and datname = current_database()`
  await expect.poll(() => rowsOf(`select from pg_stat_activity where ${session}`)).toHaveLength(1)
  await rowsOf(`select pg_terminate_backend(pid) from pg_stat_activity where ${session}`)
  expect(await ended).toMatchObject({ code: '57P01' })
})

describe('an index that is built concurrently', () => {
  const byName = '-- phase: expand\n-- mode: concurrently\n'
  const isValid = async (index: string) =>
    (await rowsOf(`select indisvalid from pg_index where indexrelid = to_regclass('${index}')`))[0]?.[
      'indisvalid'
    ]

  test('waits for no writer and holds none up', async () => {
    await write(
      '9001_by_name.sql',
      `${byName}create index concurrently customers_name on customers (name);\n`,
    )
    const writer = await connect(database.url)
    await writer.query(`begin; update customers set name = name`)
    const migrated = up()
    await expect
      .poll(() =>
        rowsOf(
          `select from pg_stat_activity where application_name = 'merchant-payments-migrate'
            and datname = current_database() and wait_event = 'virtualxid'`,
        ),
      )
      .toHaveLength(1)
    await owner.query(
      'set statement_timeout = 2000; update customers set name = name; reset statement_timeout',
    )
    await writer.query('commit')
    await writer.end()
    await migrated
    expect(await isValid('customers_name')).toBe(true)
  })

  test('that failed leaves an invalid index, which the next run replaces', async () => {
    await owner.query(`create table shelves (id integer); insert into shelves values (1), (1);
      alter table shelves owner to merchant_payments_owner`)
    await write('9001_one.sql', `${byName}create unique index concurrently shelves_one on shelves (id);\n`)
    await expect(up()).rejects.toMatchObject({ code: '23505' })
    expect(await verifySchema(database.url, folder)).toEqual([
      '9001_one.sql is missing',
      'the index shelves_one is invalid',
    ])
    await owner.query('delete from shelves where ctid = (select min(ctid) from shelves)')
    await up()
    expect([await isValid('shelves_one'), await verifySchema(database.url, folder)]).toEqual([true, []])
  })

  test('of a partitioned table has its part in each partition, also after an interruption', async () => {
    await write('9001_types.sql', `${byName}create index concurrently events_by_type on events (type, id);\n`)
    const [first] = await rowsOf(`select inhrelid::regclass::text as name from pg_inherits
      where inhparent = 'events'::regclass order by 1 limit 1`)
    await owner.query(`create index events_by_type on only events (type, id);
      create index on ${String(first?.['name'])} (type, id)`)
    expect(await isValid('events_by_type')).toBe(false)
    await up()
    expect(await isValid('events_by_type')).toBe(true)
    expect(await rowsOf(`select from pg_inherits where inhparent = 'events_by_type'::regclass`)).toHaveLength(
      (await rowsOf(`select from pg_inherits where inhparent = 'events'::regclass`)).length,
    )
    await write(
      '9002_no_types.sql',
      '-- phase: contract\n-- mode: concurrently\ndrop index concurrently if exists shelves_gone;\n',
    )
    expect(await up()).toEqual(['9002_no_types.sql'])
  })

  test('stands in a file of its own kind', () => {
    const sql = 'create index concurrently a on b (c); alter table b add column d text;'
    expect(() => readIndexChanges({ name: '9001_mixed.sql', sql })).toThrow(/^9001_mixed.sql must have only/)
  })
})

describe('a back-fill', () => {
  const fill = `-- phase: expand
-- mode: batches
update shelves set height = 1 where id in (
  select id from shelves where height is null order by id limit 100);
`
  test('runs in transactions of its own until no row is left, and goes on after an interruption', async () => {
    await owner.query(`create table shelves (id integer primary key, height integer);
      alter table shelves owner to merchant_payments_owner;
      insert into shelves select n from generate_series(1, 250) n;
      alter table shelves add constraint low check (id <> 150 or height is null)`)
    await write('9001_heights.sql', fill)
    await expect(up()).rejects.toMatchObject({ code: '23514' })
    expect(await rowsOf('select count(*)::integer as n from shelves where height = 1')).toEqual([{ n: 100 }])
    expect(await recorded()).toEqual([])

    await owner.query('alter table shelves drop constraint low')
    expect(await up()).toEqual(['9001_heights.sql'])
    expect(await rowsOf('select count(*)::integer as n from shelves where height is null')).toEqual([
      { n: 0 },
    ])
    expect(await rowsOf('select count(distinct xmin::text)::integer as n from shelves')).toEqual([{ n: 3 }])
  })

  test.each([
    ['update shelves set height = 1', /must be one statement with a limit/],
    [
      'update a set b = 1; update c set d = 1 where id in (select id from c limit 5)',
      /must be one statement/,
    ],
    [
      'delete from a where id in (select id from a limit 5 for update skip locked)',
      /must not skip locked rows/,
    ],
  ])('%s is refused', (sql, message) => {
    expect(() => readBatch({ name: '9001_fill.sql', sql })).toThrow(message)
  })
})

describe('merchants that move', () => {
  const move = (merchant: string, state: string) =>
    `insert into merchant_moves (merchant_id, state, move_id, other_cell)
      values ('${merchant}', '${state}', gen_random_uuid(), 'cell_b');\n`
  const fill = `update customers set email = 'a@b.cm' where id in (select id from customers where email is null limit 1);\n`

  beforeEach(async () => {
    await owner.query(`
      insert into customers (merchant_id, id, name, metadata, livemode, last_used_at)
        select m, gen_random_uuid(), 'Awa', '{}', false, now() from unnest(array['left', 'gone', 'here']) m;
      create trigger a_merchant_move before insert or update or delete on customers
        for each row execute function refuse_while_moving()`)
  })
  const filled = async () => (await rowsOf('select from customers where email is not null')).length

  test.each([
    ['batches', `-- phase: expand\n-- mode: batches\n${fill}`],
    ['transaction', `-- phase: expand\n${fill.replace('limit 1', 'limit 3')}`],
  ])('and have left stop no back-fill in mode %s, and nobody else writes their rows', async (_mode, text) => {
    await owner.query(move('left', 'left') + move('gone', 'left'))
    await write('9001_emails.sql', text)
    expect(await up({ lockTriesMax: 2 })).toEqual(['9001_emails.sql'])
    expect(await filled()).toBe(3)
    await expect(owner.query(`update customers set email = null`)).rejects.toMatchObject({ code: '55P03' })
  })

  test.each(['draining', 'frozen', 'arriving'])(
    'and are %s keep a run from its first migration, and it names them',
    async (state) => {
      await owner.query(move('left', 'left') + move('shop', state))
      await write('9001_shelves.sql', addShelf)
      await expect(up()).rejects.toThrow(
        new RegExp(
          `^nothing was migrated, because merchants are being moved: shop \\(${state}, cell_b\\)\\. End`,
        ),
      )
      expect(await recorded()).toEqual([])
      await owner.query(`delete from merchant_moves where state <> 'left'`)
      expect(await up()).toEqual(['9001_shelves.sql'])
    },
  )

  test('are no lock that a run waits for: it ends at once, and names the merchant', async () => {
    const gaveWay: string[] = []
    await write('9001_begins.sql', `-- phase: expand\n${move('here', 'frozen')}`)
    await write('9002_emails.sql', `-- phase: expand\n-- mode: batches\n${fill}`)
    await expect(up({ lockTriesMax: 2, report: (line) => gaveWay.push(line) })).rejects.toThrow(
      /^9002_emails.sql: the merchant here is being moved between cells\. End/,
    )
    expect(gaveWay.filter((line) => line.includes('gives way'))).toEqual([])
    expect(await recorded()).toEqual(['9001_begins.sql'])
  })
})

test('verify names what is missing, edited or of another release', async () => {
  expect(await verifySchema(database.url)).toEqual([])
  await write('9001_shelves.sql', addShelf)
  await write('9002_no_height.sql', dropHeight)
  await up()
  expect(await verifySchema(database.url)).toEqual([
    '9001_shelves.sql is of another release',
    '9002_no_height.sql is of another release',
  ])
  await write('9001_shelves.sql', addShelf.replace('integer', 'bigint'))
  await write('9003_next.sql', '-- phase: expand\nselect 1;\n')
  expect(await verifySchema(database.url, folder)).toEqual([
    '9001_shelves.sql was edited after it was applied',
    '9003_next.sql is missing',
  ])
  const { migrations } = await readSchemaState(database.url, folder)
  expect(migrations.filter(({ applied }) => applied === null).map(({ migration }) => migration.name)).toEqual(
    ['9003_next.sql'],
  )
})
