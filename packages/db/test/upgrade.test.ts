import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Postgres, startPostgres } from '@merchant-payments/postgres'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { ensureAppLogin, migrate } from '../src/index.ts'
import { migrateUpTo } from './migrate-up-to.ts'

// A cluster of its own, because roles belong to the cluster and this test needs one without ours.
let postgres: Postgres
const open: pg.Client[] = []

beforeAll(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'merchant-payments-upgrade-'))
  postgres = await startPostgres({ dataDir, settings: { fsync: 'off' } })
})

afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.end()))
  const admin = await connect(postgres.url)
  const { rows } = await admin.query<{ name: string }>(
    `select datname as name from pg_database where not datistemplate and datname <> 'postgres'`,
  )
  for (const { name } of rows) await admin.query(`drop database ${name} with (force)`)
  const { rows: roles } = await admin.query<{ name: string }>(
    `select rolname as name from pg_roles where rolname !~ '^(pg_|postgres$)'
      order by rolname !~ '^merchant_payments_'`,
  )
  for (const { name } of roles) await admin.query(`drop role ${name}`)
  await Promise.all(open.splice(0).map((client) => client.end()))
})

afterAll(async () => {
  await postgres.stop()
  await rm(postgres.dataDir, { recursive: true, force: true })
})

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  open.push(client)
  return client
}

const urlOf = (database: string, user = 'postgres') => {
  const url = new URL(postgres.url)
  url.pathname = `/${database}`
  url.username = user
  return url.href
}

const ownerOf = async (client: pg.Client, table: string) =>
  (
    await client.query<{ owner: string }>(
      'select relowner::regrole::text as owner from pg_class where oid = $1::text::regclass',
      [table],
    )
  ).rows[0]?.owner

/** Writes as the previous release does: as the owner of its tables, also while it is being replaced. */
async function serveAsBefore(client: pg.Client): Promise<void> {
  await client.query(`insert into customers (merchant_id, id, name, metadata, livemode, last_used_at)
    values ('acme', gen_random_uuid(), 'Ada', '{}', false, now())`)
  await client.query(`insert into events (merchant_id, id, type, body, position)
    values ('acme', uuidv7(), 'invoice.paid', '{}', (select count(*) + 1 from events))`)
  await client.query(`select ensure_partitions(now() + interval '1 year'), keep_planner_floor()`)
  await client.query('lock table signing_keys in share row exclusive mode')
  await client.query(`insert into audit_entries (id, actor_subject, actor_name, actor_role, action, target, merchant_id,
      reason, before, after, request_id, idempotency_key, fingerprint)
    values (uuidv7(), 'omar', 'Omar', 'operator', 'fanout.retry', 'evt_1', 'acme', 'A test.', '{}', '{}', 'r',
      gen_random_uuid()::text, '')`)
}

async function untilTrue(client: pg.Client, question: string): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ is: boolean }>(question)
    if (rows[0]?.is === true) return
    await client.query('select pg_sleep(0.02)')
  }
}

const inTransaction = async (client: pg.Client, work: (client: pg.Client) => Promise<void>) => {
  await client.query('begin')
  await work(client)
  await client.query('commit')
}

test('databases of one cluster are migrated at once, and share the roles', async () => {
  const admin = await connect(postgres.url)
  const names = Array.from({ length: 6 }, (_, n) => `at_once_${n}`)
  for (const name of names) await admin.query(`create database ${name}`)
  await Promise.all(names.map((name) => migrate(urlOf(name))))
  const urls = await Promise.all(names.map((name) => ensureAppLogin(urlOf(name), 'at_once_app')))
  for (const url of urls) {
    const app = await connect(url)
    expect((await app.query('select from customers')).rowCount).toBe(0)
    await expect(app.query('truncate customers')).rejects.toMatchObject({ code: '42501' })
  }
})

test('a migration waits for another one of the cluster that makes the roles, however long that takes', async () => {
  const admin = await connect(postgres.url)
  await admin.query('create database waiting')
  await admin.query('begin; create role merchant_payments_owner nologin')
  const migrated = migrate(urlOf('waiting'))
  const watcher = await connect(postgres.url)
  await untilTrue(
    watcher,
    `select exists (select from pg_locks join pg_stat_activity using (pid) where datname = 'waiting'
      and locktype = 'transactionid' and clock_timestamp() - waitstart > interval '500 ms') as is`,
  )
  await admin.query('commit')
  await migrated
  expect(await ownerOf(await connect(urlOf('waiting')), 'leases')).toBe('merchant_payments_owner')
})

test('a migration gives way to requests while somebody reads a table for long', async () => {
  const admin = await connect(postgres.url)
  await admin.query('create database busy')
  const [reader, writer] = [await connect(urlOf('busy')), await connect(urlOf('busy'))]
  await migrateUpTo(reader, 19)
  await reader.query('begin; select from payment_intents')
  let isOver = false
  const migrated = migrate(urlOf('busy')).finally(() => (isOver = true))
  await untilTrue(
    admin,
    `select exists (select from pg_stat_activity
      where application_name = 'merchant-payments-migrate' and datname = 'busy' and wait_event = 'relation') as is`,
  )
  for (let n = 0; n < 5; n += 1) await inTransaction(writer, serveAsBefore)
  expect(isOver).toBe(false)
  await reader.query('commit')
  await migrated
  const { rows } = await writer.query('select position::integer from audit_head')
  expect(rows).toEqual([{ position: 5 }])
})

test('an installation of one role, which is no superuser, migrates itself and goes on serving', async () => {
  const admin = await connect(postgres.url)
  await admin.query('create role keeper login createrole')
  await admin.query('create database one_role owner keeper')
  const keeper = await connect(urlOf('one_role', 'keeper'))
  await migrateUpTo(keeper, 19)
  await inTransaction(keeper, serveAsBefore)

  await migrate(urlOf('one_role', 'keeper'))

  expect(await ownerOf(keeper, 'audit_entries')).toBe('merchant_payments_owner')
  expect(await ownerOf(keeper, 'events_default')).toBe('merchant_payments_owner')
  await inTransaction(keeper, serveAsBefore)
  const { rows } = await keeper.query('select count(*)::integer as entries from audit_chain')
  expect(rows).toEqual([{ entries: 2 }])
  const app = await connect(await ensureAppLogin(urlOf('one_role', 'keeper'), 'one_role_app'))
  await inTransaction(app, serveAsBefore)
})

test('an installation whose role may create no roles is told what to do, and stays as it was', async () => {
  const admin = await connect(postgres.url)
  await admin.query('create role keeper login')
  await admin.query('create database no_roles owner keeper')
  const keeper = await connect(urlOf('no_roles', 'keeper'))
  await migrateUpTo(keeper, 19)
  await expect(migrate(urlOf('no_roles', 'keeper'))).rejects.toThrow(
    /\(the role merchant_payments_owner is missing, and keeper may not create it\)/,
  )
  expect(await ownerOf(keeper, 'audit_entries')).toBe('keeper')
  await inTransaction(keeper, serveAsBefore)

  // The statements of docs/operations.md.
  await admin.query(`create role merchant_payments_owner nologin;
    create role merchant_payments_app nologin;
    create role merchant_payments_report nologin;
    grant merchant_payments_owner to keeper`)
  await migrate(urlOf('no_roles', 'keeper'))
  await inTransaction(keeper, serveAsBefore)
})

test('an installation that somebody else migrates, a superuser say, goes on serving as its old role', async () => {
  const admin = await connect(postgres.url)
  await admin.query('create role keeper login')
  await admin.query('create database by_admin owner keeper')
  const keeper = await connect(urlOf('by_admin', 'keeper'))
  await migrateUpTo(keeper, 19)
  await migrate(urlOf('by_admin'))
  await inTransaction(keeper, serveAsBefore)
  expect(await ownerOf(keeper, 'payment_intents')).toBe('merchant_payments_owner')
})

test('what a later migration makes is the owner’s, whoever runs it', async () => {
  const admin = await connect(postgres.url)
  await admin.query('create database later')
  await migrate(urlOf('later'))
  await admin.query('create role migrator login in role merchant_payments_owner')
  const migrator = await connect(urlOf('later', 'migrator'))
  await inTransaction(migrator, async (client) => {
    await client.query('set local role merchant_payments_owner')
    await client.query('create table later (id uuid primary key)')
  })
  expect(await ownerOf(migrator, 'later')).toBe('merchant_payments_owner')
  await migrate(urlOf('later', 'migrator'))
})
