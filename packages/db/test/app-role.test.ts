import { randomBytes, randomUUID } from 'node:crypto'
import { cloneDatabase } from '@merchant-payments/testing'
import { connect } from '@merchant-payments/testing/client'
import type pg from 'pg'
import { afterAll, describe, expect, test } from 'vitest'
import { findRoleFaults, migrate } from '../src/index.ts'
import { openTestDatabase } from '../src/testing.ts'

const database = await cloneDatabase()
const [app, owner] = await Promise.all([connect(database.appUrl), connect(database.url)])
await owner.query(`
  insert into audit_entries (id, actor_subject, actor_name, actor_role, action, target, merchant_id, reason, before,
    after, request_id, idempotency_key, fingerprint)
  values (gen_random_uuid(), 'omar', 'Omar', 'operator', 'fanout.retry', 'evt_1', 'acme', 'A test.', '{}', '{}', 'r', 'k', '');
  insert into charge_rulings (merchant_id, charge_id, outcome, reason, operator)
  values ('acme', gen_random_uuid(), 'failed', 'A test.', 'omar');
  insert into events (merchant_id, id, type, body, position)
  values ('acme', uuidv7(), 'invoice.paid', '{}', 1)`)
afterAll(async () => {
  await Promise.all([app.end(), owner.end()])
  await database.drop()
})

const stateOf = (client: pg.Client, statement: string) =>
  client.query(statement).then(
    () => 'done',
    (error: { code?: string }) => error.code,
  )

const appendOnly = ['audit_entries', 'audit_chain', 'charge_rulings', 'events', 'delivery_attempts']

describe('the app role may not', () => {
  test.each([
    ...appendOnly.flatMap((table) => [
      `alter table ${table} disable trigger all`,
      `alter table ${table} disable trigger user`,
      `delete from ${table}`,
      `truncate ${table}`,
      `drop table ${table}`,
      `alter table ${table} owner to current_user`,
      `create trigger mine before insert on ${table} execute function refuse_change()`,
    ]),
    `update audit_entries set reason = 'Another.'`,
    `update audit_chain set hash = previous_hash`,
    `insert into audit_chain (position, entry_id, previous_hash, hash) select 9, gen_random_uuid(), hash, hash from audit_chain`,
    `update audit_head set position = 0`,
    `delete from audit_head`,
    `select from audit_head`,
    `select append_to_audit_chain(e) from audit_entries e`,
    `update charge_rulings set operator = 'ada'`,
    `update events set type = 'invoice.voided'`,
    `update events set position = 2`,
    `update delivery_attempts set status_code = 200`,
    `delete from payment_intents`,
    `delete from charges`,
    `delete from refunds`,
    `truncate payment_intents cascade`,
    `delete from events_default`,
    `drop function refuse_change() cascade`,
    `create or replace function refuse_change() returns trigger language plpgsql as 'begin return null; end'`,
    `alter function seal_audit_entry() security invoker`,
    `select drop_month_before(now() + interval '1 year')`,
    `create table mine ()`,
    `create schema mine`,
    `create function mine() returns void language sql as ''`,
    `drop schema public cascade`,
    `update schema_migrations set checksum = ''`,
    `set session_replication_role = replica`,
    `select set_config('session_replication_role', 'replica', false)`,
    `alter role current_user set session_replication_role = replica`,
    `alter role current_user superuser`,
    `set role merchant_payments_owner`,
    `grant merchant_payments_owner to current_user`,
    `set session authorization postgres`,
    `copy audit_entries to program 'cat'`,
    `alter system set session_replication_role = replica`,
    `update pg_trigger set tgenabled = 'D'`,
  ])('%s', async (statement) => {
    expect(await stateOf(app, statement)).toBe('42501')
  })
})

describe('in the owner’s name the app role', () => {
  test('makes partitions', async () => {
    expect(await stateOf(app, `select ensure_partitions('2071-03-01Z')`)).toBe('done')
    const { rows } = await owner.query(
      `select relowner::regrole::text as owner from pg_class where relname = 'events_207103'`,
    )
    expect(rows).toEqual([{ owner: 'merchant_payments_owner' }])
  })

  test('drops a month that is old, and none that is young, whatever it asks for', async () => {
    await owner.query(`select ensure_partitions('2024-02-01Z'), ensure_partitions(now())`)
    const { rows } = await app.query(`select * from drop_old_month('infinity')`)
    expect(rows).toEqual([{ month: '202402', dropped: true, held: false }])
    expect((await app.query(`select * from drop_old_month('infinity')`)).rows).toEqual([])
    await owner.query(`select ensure_partitions('2024-03-01Z')`)
    const oldest = async (onlyArchived: boolean) =>
      (await app.query(`select * from drop_oldest_month('infinity', $1)`, [onlyArchived])).rows as unknown[]
    expect(await oldest(true)).toEqual([{ month: '202403', outcome: 'unarchived' }])
    expect(await oldest(false)).toEqual([{ month: '202403', outcome: 'dropped' }])
    expect(await oldest(false)).toEqual([])
    expect(await stateOf(app, `update archived_months set verified_at = now()`)).toBe('42501')
    expect(await stateOf(app, `select begin_archive('202403', gen_random_uuid())`)).toBe('42501')
  })

  test('keeps the planner’s floor, also beside tables of others', async () => {
    await owner.query('create table of_somebody_else ()')
    expect(await stateOf(app, 'select keep_planner_floor()')).toBe('done')
    await owner.query('drop table of_somebody_else')
  })

  test('does none of it in a schema of its own making', async () => {
    await app.query(`create temporary table audit_head as select 0::bigint as position, ''::bytea as hash`)
    await app.query('set search_path = pg_temp, public')
    try {
      await app.query(`insert into public.audit_entries select gen_random_uuid(), actor_subject, actor_name, actor_role,
        action, target, merchant_id, reason, before, after, request_id, 'another', fingerprint
        from public.audit_entries limit 1`)
      const { rows } = await owner.query('select position from audit_chain order by position')
      expect(rows).toEqual([{ position: '1' }, { position: '2' }])
      expect((await app.query('select * from audit_head')).rows).toEqual([
        { position: '0', hash: Buffer.alloc(0) },
      ])
    } finally {
      await app.query('reset search_path; drop table pg_temp.audit_head')
    }
  })
})

describe('at boot', () => {
  test('a schema that is current is migrated by the app role, which does nothing', async () => {
    await expect(migrate(database.appUrl)).resolves.toEqual([])
  })

  test('a schema that is behind is refused to it in words', async () => {
    const other = await cloneDatabase()
    const client = await connect(other.url)
    await client.query('delete from schema_migrations where version = 20')
    await client.end()
    await expect(migrate(other.appUrl)).rejects.toThrow(
      /^the migration 0020_roles_and_audit_chain.sql is missing, and this database role may not apply it \(permission denied .*\): run migrate as the owner$/,
    )
    await other.drop()
  })

  const faultsOf = async (url: string) => {
    const db = openTestDatabase(url)
    try {
      return await findRoleFaults(db.reader)
    } finally {
      await db.close()
    }
  }
  const loginAs = async (groups: string) => {
    const name = `mp_role_${randomBytes(8).toString('hex')}`
    await owner.query(`create role ${name} login password 'test' in role ${groups}`)
    const url = new URL(database.url)
    url.username = name
    url.password = 'test'
    return { name, url: url.href }
  }

  test('the app role is accepted, and a superuser is not', async () => {
    expect(await faultsOf(database.appUrl)).toEqual([])
    expect(await faultsOf(database.url)).toEqual([expect.stringMatching(/^connects as \w+, a superuser$/)])
  })

  test.each([
    ['merchant_payments_owner', 'which owns tables of the service or is a member of their owner'],
    [
      'merchant_payments_app, merchant_payments_owner',
      'which owns tables of the service or is a member of their owner',
    ],
    ['pg_write_all_data', 'which may change the audit log'],
  ])('a member of %s is not accepted', async (groups, words) => {
    const { name, url } = await loginAs(groups)
    try {
      expect(await faultsOf(url)).toEqual([`connects as ${name}, ${words}`])
    } finally {
      await owner.query(`drop role ${name}`)
    }
  })

  test('a second login works beside the first and outlives it, so a password is replaced without a gap', async () => {
    const [old, next] = [await loginAs('merchant_payments_app'), await loginAs('merchant_payments_app')]
    const [first, second] = await Promise.all([connect(old.url), connect(next.url)])
    try {
      const key = randomUUID()
      const spend = `insert into spent_jtis (jti, expires_at) values ('${key}', now())`
      expect([await stateOf(first, spend), await stateOf(second, spend)]).toEqual(['done', '23505'])
      await first.end()
      await owner.query(`drop role ${old.name}`)
      expect(await stateOf(second, `delete from spent_jtis where jti = '${key}'`)).toBe('done')
      expect(await faultsOf(next.url)).toEqual([])
    } finally {
      await second.end()
      await owner.query(`drop role ${next.name}`)
    }
  })

  test('a superuser that switches to the app role is not accepted', async () => {
    const url = new URL(database.url)
    url.searchParams.set('options', '-c role=merchant_payments_app')
    expect(await faultsOf(url.href)).toEqual([expect.stringMatching(/^connects as \w+, a superuser$/)])
  })
})
