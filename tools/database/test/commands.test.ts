import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { cloneDatabase, openProxy } from '@merchant-payments/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { connect } from '@merchant-payments/testing/client'
import { testFolder } from '@merchant-payments/testing/test-folder'

const database = await cloneDatabase()
const owner = await connect(database.url)
afterAll(async () => {
  await owner.end()
  await database.drop()
})

async function run(name: string, env: Record<string, string>, ...args: string[]) {
  const script = fileURLToPath(new URL(`../src/${name}.ts`, import.meta.url))
  const child = spawn(process.execPath, [script, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [[code], said, complained] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ])
  return { code: code as unknown, said, complained }
}

const verify = (...args: string[]) => run('audit-verify', { DATABASE_URL: database.url }, ...args)

const insert = (
  id: string,
) => `insert into audit_entries (id, actor_subject, actor_name, actor_role, action, target,
  merchant_id, reason, before, after, request_id, idempotency_key, fingerprint)
  values ('${id}', 'omar', 'Omar', 'operator', 'fanout.retry', 'evt_1', 'acme', 'A test.', '{}', '{}', 'r', '${id}', '')`

test('audit:verify prints the number of entries and the head, accepts that head later, and ends with 1 if the log no longer matches it', async () => {
  await owner.query(insert('01a1fd77-072f-77d0-9897-000000000001'))
  await owner.query(insert('01a1fd77-072f-77d0-9897-000000000002'))
  const { code, said } = await verify()
  const head = /^OK: 2 entries, head (2:[0-9a-f]{64})\n$/.exec(said)?.[1] ?? ''
  expect(code).toBe(0)
  expect(await verify('--head', head)).toEqual({ code: 0, said, complained: '' })
  expect(await verify('--head', `2:${'0'.repeat(64)}`)).toEqual({
    code: 1,
    said: 'FAULT: the hash at position 2 differs from the noted one\n',
    complained: '',
  })

  await owner.query(`set session_replication_role = replica;
    delete from audit_entries where id = '01a1fd77-072f-77d0-9897-000000000001'`)
  expect(await verify()).toEqual({
    code: 1,
    said: 'FAULT: the entry au_01a1fd77072f77d09897000000000001 at position 1 was removed\n',
    complained: '',
  })
})

/** Runs a command, which waits for the table, and cuts its connection. */
async function runCut(name: string, table: string, variable: string, ...args: string[]) {
  const holder = await connect(database.url)
  onTestFinished(() => holder.end())
  await holder.query(`begin; lock table ${table} in access exclusive mode`)
  const proxy = await openProxy(database.url)
  const running = run(name, { [variable]: proxy.url }, ...args)
  const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
  await expect.poll(async () => (await owner.query(waiting)).rowCount).toBe(1)
  proxy.cut()
  const ended = await running
  await holder.query('rollback')
  await expect.poll(async () => (await owner.query(waiting)).rowCount).toBe(0)
  return ended
}

test.each([
  ['audit-verify', 'audit_head', 'DATABASE_URL', 2, []],
  ['restore-verify', 'payment_intents', 'DATABASE_URL', 2, []],
  ['migrate', 'schema_migrations', 'DATABASE_OWNER_URL', 1, ['status']],
] as const)(
  '%s whose connection breaks says so, and not what it could not find out',
  async (name, table, variable, code, args) => {
    expect(await runCut(name, table, variable, ...args)).toEqual({
      code,
      said: '',
      complained: 'Connection terminated unexpectedly\n',
    })
  },
)

test.each([
  ['audit-verify', 'audit_head'],
  ['restore-verify', 'payment_intents'],
] as const)('%s takes the time that it needs, whatever time-outs its role has', async (name, table) => {
  const slow = await cloneDatabase()
  onTestFinished(() => slow.drop())
  const holder = await connect(slow.url)
  onTestFinished(() => holder.end())
  await holder.query(`do $$ begin
    execute format('alter database %I set statement_timeout = ''200ms''', current_database());
    execute format('alter database %I set transaction_timeout = ''200ms''', current_database()); end $$`)
  await holder.query(`begin; lock table ${table} in access exclusive mode`)
  const running = run(name, { DATABASE_URL: slow.url })
  const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = $1
    and query_start < clock_timestamp() - interval '400 ms'`
  const slowName = new URL(slow.url).pathname.slice(1)
  await expect
    .poll(async () => (await owner.query(waiting, [slowName])).rowCount, { timeout: 10_000 })
    .toBe(1)
  await holder.query('rollback')
  expect(await running).toMatchObject({ code: 0, complained: '' })
})

describe('the hours of grace of merchant:move', () => {
  const nowhere = 'postgres://nobody@127.0.0.1:1/none'
  const urls = { FROM_DATABASE_OWNER_URL: nowhere, TO_DATABASE_OWNER_URL: nowhere }
  const cells = ['--from', 'cell_a', '--to', 'cell_b']
  const by = ['--operator', 'amina', '--reason', 'A test.']
  const forget = (hours: string) =>
    run('merchant-move', urls, 'forget', 'acme', ...cells, ...by, `--after-hours=${hours}`)

  test.each(['', ' ', '-1', '1e3', '0x10', 'a day'])('are not %j', async (hours) => {
    expect(await forget(hours)).toEqual({
      code: 2,
      said: '',
      complained: expect.stringMatching(/^Usage: /) as unknown,
    })
  })

  test.each(['0', '24', '0.5'])('may be %s, and the command goes on to the databases', async (hours) => {
    expect((await forget(hours)).complained).toMatch(/ECONNREFUSED/)
  })
})

test('audit:verify ends with 2 if it could not check', async () => {
  expect(await verify('--head', 'nonsense')).toMatchObject({
    code: 2,
    said: '',
    complained: expect.stringMatching(/^Usage: /) as unknown,
  })
  expect(await run('audit-verify', {})).toMatchObject({
    code: 2,
    complained: expect.stringMatching(/^Usage: /) as unknown,
  })
  const { code, complained } = await run('audit-verify', { DATABASE_URL: database.appUrl })
  expect({ code, complained }).toEqual({ code: 2, complained: 'permission denied for table audit_head\n' })
})

describe('restore:verify', () => {
  const verifyRestore = (...args: string[]) => run('restore-verify', { DATABASE_URL: database.url }, ...args)

  beforeAll(async () => {
    await owner.query('set session_replication_role = replica; truncate audit_entries, audit_chain cascade')
    await owner.query(`update audit_head set position = 0, hash = decode(repeat('00', 32), 'hex')`)
    await owner.query('set session_replication_role = origin')
    await owner.query(insert('01a1fd77-072f-77d0-9897-000000000003'))
  })

  test('prints the last things that a sound database has', async () => {
    const { code, said } = await verifyRestore()
    expect(code).toBe(0)
    expect(said.split('\n')).toEqual([
      'OK: the migrations of this release, the audit log and the ledger agree.',
      expect.stringMatching(/^Audit log: 1 entries, head 1:[0-9a-f]{64}$/) as unknown,
      'Last charge: none. Last refund: none.',
      'The worker will ask about charges: 0, payouts: 0.',
      '',
    ])
  })

  test('runs as a login of the report role', async () => {
    const url = new URL(database.url)
    url.username = `report_${url.pathname.slice(1)}`
    await owner.query(`create role ${url.username} login in role merchant_payments_report`)
    onTestFinished(async () => {
      await owner.query(`drop role ${url.username}`)
    })
    expect(await run('restore-verify', { DATABASE_URL: url.href })).toMatchObject({ code: 0, complained: '' })
  })

  test('ends with 1 and names a head that the log no longer has', async () => {
    expect(await verifyRestore('--head', `5:${'0'.repeat(64)}`)).toEqual({
      code: 1,
      said: expect.stringMatching(/^FAULT: /) as unknown,
      complained: '',
    })
  })

  test('ends with 1 and names each row that breaks a rule of the ledger', async () => {
    const id = '01a1fd77-072f-77d0-9897-000000000009'
    await owner.query('set session_replication_role = replica')
    await owner.query(`insert into payment_intents (merchant_id, id, amount, currency, status, payment_method_types, metadata,
      livemode) values ('acme', '${id}', 1000, 'XAF', 'succeeded', '{rail}', '{}', false)`)
    await owner.query(`insert into charges (merchant_id, id, payment_intent_id, rail, status, amount, currency, reference,
      opened_at, submit_deadline) values ('acme', '${id}', '${id}', 'rail', 'live', 999, 'XAF', 'r', now(), now())`)
    await owner.query('set session_replication_role = origin')
    expect(await verifyRestore()).toEqual({
      code: 1,
      said: [
        `FAULT: the intent ${id} is succeeded with 0 succeeded charges`,
        `FAULT: the charge ${id} differs from its intent`,
        `FAULT: the charge ${id} is live and is never asked about`,
        '',
      ].join('\n'),
      complained: '',
    })
  })

  test('expects no event of a month that was dropped, if an older one was kept', async () => {
    await owner.query('truncate payment_intents, events, event_counters cascade')
    await owner.query(
      `select ensure_partitions(m) from generate_series(timestamptz '2025-01-15', now(), interval '1 month') m`,
    )
    await owner.query(`insert into events (merchant_id, id, type, body, position)
      values ('acme', '0194515e-0800-7000-8000-000000000000', 'invoice.paid', '{}', 1)`)
    await owner.query(`insert into event_counters (merchant_id, last_position) values ('acme', 2)`)
    onTestFinished(async () => {
      await owner.query('truncate payment_intents, events, event_counters cascade')
    })
    expect((await verifyRestore()).said).toContain('FAULT: the events of acme end at 1, counted to 2')
    await owner.query('drop table events_202502')
    expect(await verifyRestore()).toMatchObject({ code: 0 })
  })

  const moving = (state: string, cell: string) =>
    owner.query(
      `insert into merchant_moves (merchant_id, state, move_id, other_cell) values ('acme', '${state}', gen_random_uuid(), '${cell}')`,
    )

  describe('beside a merchant that moves', () => {
    const id = '01a1fd77-072f-77d0-9897-00000000000a'

    beforeEach(async () => {
      await owner.query(
        'truncate payment_intents, events, event_counters, charge_jobs, refund_jobs, merchant_moves cascade',
      )
      await owner.query('begin; set local session_replication_role = replica')
      await owner.query(`insert into payment_intents (merchant_id, id, amount, currency, status, payment_method_types, metadata,
        livemode, refund_reserved) values ('acme', '${id}', 1000, 'XAF', 'succeeded', '{rail}', '{}', false, 300)`)
      await owner.query(`insert into charges (merchant_id, id, payment_intent_id, rail, status, amount, currency, reference,
        opened_at, submit_deadline) select 'acme', gen_random_uuid(), '${id}', 'rail', status, 1000, 'XAF', status, now(), now()
        from unnest(array['succeeded', 'live']) status`)
      await owner.query(`insert into refunds (merchant_id, id, payment_intent_id, status, amount, currency, metadata, livemode,
        opened_at, rail, reference, instruction, submit_deadline)
        values ('acme', '${id}', '${id}', 'pending', 300, 'XAF', '{}', false, now(), 'rail', 'refund', 'sent', now())`)
      await owner.query(`insert into events (merchant_id, id, type, body, position)
        values ('acme', uuid_v7_floor(now()), 'invoice.paid', '{}', 1)`)
      await owner.query('commit')
    })

    test.each([
      ['left', 'acme has left for cell_b'],
      ['arriving', 'acme is arriving from cell_b'],
    ])('expects no job of it if it is %s, and names it', async (state, line) => {
      await moving(state, 'cell_b')
      const { code, said } = await verifyRestore()
      expect([code, said.split('\n')]).toEqual([
        0,
        [
          'OK: the migrations of this release, the audit log and the ledger agree.',
          expect.stringMatching(/^Audit log: /) as unknown,
          expect.stringMatching(/^Last charge: /) as unknown,
          'The worker will ask about charges: 0, payouts: 0.',
          `Moves: ${line}.`,
          '',
        ],
      ])
    })

    test('expects its jobs while it is frozen, and names it', async () => {
      await moving('frozen', 'cell_b')
      expect(
        (await verifyRestore()).said.split('\n').map((line) => line.replace(/[0-9a-f-]{36}/, '…')),
      ).toEqual([
        'FAULT: the events of acme end at 1, counted to 0',
        'FAULT: the charge … is live and is never asked about',
        'FAULT: the refund … is sent and has no job',
        '',
      ])
      await owner.query(`insert into event_counters (merchant_id, last_position) values ('acme', 1)`)
      await owner.query(`insert into charge_jobs (merchant_id, charge_id, rail, due_at)
        select merchant_id, id, rail, now() + interval '8766000 hours' from charges where status = 'live'`)
      await owner.query(`insert into refund_jobs (merchant_id, refund_id, rail, due_at)
        select merchant_id, id, rail, now() + interval '8766000 hours' from refunds`)
      const { code, said } = await verifyRestore()
      expect([code, said.split('\n').slice(3)]).toEqual([
        0,
        ['The worker will ask about charges: 1, payouts: 1.', 'Moves: acme is frozen, for cell_b.', ''],
      ])
    })

    test('still finds a ledger of it that does not agree', async () => {
      await moving('left', 'cell_b')
      await owner.query('set session_replication_role = replica')
      await owner.query('update payment_intents set refund_reserved = 200')
      await owner.query('set session_replication_role = origin')
      expect((await verifyRestore()).said).toBe(
        `FAULT: the intent ${id} of 1000 reserves 200 for refunds of 300\n`,
      )
    })

    test('of a time before there were moves names the migrations that are missing', async () => {
      const older = await cloneDatabase()
      onTestFinished(() => older.drop())
      const olderOwner = await connect(older.url)
      await olderOwner.query('drop table merchant_moves; delete from schema_migrations where version = 46')
      await olderOwner.end()
      const { code, said, complained } = await run('restore-verify', { DATABASE_URL: older.url })
      expect([code, complained]).toEqual([1, ''])
      expect(said).toBe('FAULT: 0046_merchant_moves.sql is missing\n')
    })
  })

  test('ends with 2 if it could not check', async () => {
    expect(await run('restore-verify', {})).toMatchObject({
      code: 2,
      complained: expect.stringMatching(/^Usage: /) as unknown,
    })
  })
})

test.each([
  ['on a server that was not restored to a time', [], /^the server was not restored: /],
  ['with an argument', ['all'], /^Usage: /],
])('restore:hold changes nothing %s', async (_case, args, complaint) => {
  const { code, said, complained } = await run('restore-hold', { DATABASE_URL: database.url }, ...args)
  expect([code, said]).toEqual([2, ''])
  expect(complained).toMatch(complaint)
})

test('migrate reads the URL from the file of DATABASE_OWNER_URL_FILE', async () => {
  const folder = await testFolder()
  const file = join(folder, 'url')
  await writeFile(file, `${database.url}\n`)
  expect(await run('migrate', { DATABASE_OWNER_URL_FILE: file }, 'plan')).toMatchObject({
    code: 0,
    complained: '',
  })
})

test('migrate plans, applies, lists and verifies the migrations of this release', async () => {
  const migrate = (...args: string[]) => run('migrate', { DATABASE_OWNER_URL: database.url }, ...args)
  await owner.query('drop schema public cascade; create schema public')

  const planned = await migrate('plan', 'expand')
  expect(planned.said).toMatch(/^0001_main_job.sql \(expand, transaction\)\n0002/)
  expect(await migrate('verify')).toMatchObject({
    code: 1,
    said: expect.stringMatching(/^0001_main_job.sql is missing\n/) as unknown,
  })
  const applied = await migrate('up')
  expect(applied).toMatchObject({ code: 0, complained: '' })
  expect(applied.said).toMatch(/\nThe schema is up to date.\n$/)
  expect((await owner.query('select from schema_migrations')).rowCount).toBeGreaterThan(19)
  expect(await migrate('up', 'contract')).toEqual({
    code: 0,
    said: 'The contract phase is done.\n',
    complained: '',
  })
  expect(await migrate('plan')).toEqual({ code: 0, said: 'Nothing to apply.\n', complained: '' })
  expect((await migrate('status')).said).toMatch(/^0001_main_job.sql \(expand\) 2\d{3}-/)
  expect(await migrate('verify')).toEqual({
    code: 0,
    said: 'The database has exactly the migrations of this release.\n',
    complained: '',
  })

  await owner.query(`update schema_migrations set checksum = 'of another text' where version = 2`)
  expect(await migrate('verify')).toEqual({
    code: 1,
    said: '0002_customers.sql was edited after it was applied\n',
    complained: '',
  })
  expect(await migrate('up')).toMatchObject({ code: 1, said: '' })
})

test.each([[[]], [['sideways']], [['up', 'twice']], [['up', 'expand', 'more']]])(
  'migrate %j prints its usage',
  async (args) => {
    const answer = await run('migrate', { DATABASE_OWNER_URL: database.url }, ...args)
    expect(answer).toMatchObject({
      code: 2,
      said: '',
      complained: expect.stringMatching(/^Usage: /) as unknown,
    })
  },
)

test('migrate refuses to guess whose the schema is', async () => {
  expect(await run('migrate', { DATABASE_URL: database.url }, 'up')).toMatchObject({ code: 2, said: '' })
})
