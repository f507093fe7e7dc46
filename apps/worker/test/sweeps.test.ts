import { type EventId, lapseSessions, sweepJtis, sweepKeys, uuidOf } from '@merchant-payments/core'
import type { Tx } from '@merchant-payments/db'
import { holdTransaction } from '@merchant-payments/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { fanOutEvents } from '../src/passes/fan-out-events.ts'
import { dropOldPartitions, makePartitions } from '../src/passes/housekeeping.ts'
import { rescueLostDeliveries } from '../src/passes/rescue-deliveries.ts'
import { clientWith, MERCHANT, movableClock, START_MS, useDatabase, workerDeps } from './harness.ts'

const database = useDatabase()
const { query, insertEvent } = database

const HOUR_MS = 60 * 60_000
const at = (ms: number) => new Date(START_MS + ms)

describe('the ten-minute scan [§8]', () => {
  test('recreates the jobs of pending deliveries that lost theirs, and changes nothing else [§6.3.8]', async () => {
    const { clock, advance } = movableClock()
    const endpoints = ['vanished', 'waiting', 'dead', 'exhausted', 'succeeded'].map((id) => ({
      id,
      url: 'https://shop.example/hooks',
    }))
    const deps = workerDeps(database.db(), { clock, endpoints: [clientWith(...endpoints)] })
    const { id } = await insertEvent(START_MS)
    await fanOutEvents(deps)
    await query("delete from delivery_jobs where endpoint_id in ('vanished', 'exhausted', 'succeeded')")
    await query("update delivery_jobs set throws = 5, dead_at = $1 where endpoint_id = 'dead'", [at(0)])
    await query("update deliveries set status = endpoint_id where endpoint_id in ('exhausted', 'succeeded')")
    advance(600_000)

    expect(await rescueLostDeliveries(deps)).toEqual({ rescued: 1, full: false })
    expect(await rescueLostDeliveries(deps)).toEqual({ rescued: 0, full: false })

    const jobs = await query(`select j.endpoint_id, j.event_id::text, j.due_at, j.throws, j.dead_at, d.status
      from delivery_jobs j join deliveries d on d.id = j.delivery_id order by j.endpoint_id`)
    const job = {
      event_id: expect.toSatisfy((uuid: string) => uuid.replaceAll('-', '') === uuidOf(id)) as unknown,
    }
    expect(jobs).toEqual([
      { ...job, endpoint_id: 'dead', due_at: at(0), throws: 5, dead_at: at(0), status: 'pending' },
      { ...job, endpoint_id: 'vanished', due_at: at(600_000), throws: 0, dead_at: null, status: 'pending' },
      { ...job, endpoint_id: 'waiting', due_at: at(0), throws: 0, dead_at: null, status: 'pending' },
    ])
  })
})

describe('the hourly expiry [§8]', () => {
  test('ends expired sessions, and their events reach the endpoint [§3.5, §6.1]', async () => {
    const { clock, advance } = movableClock()
    const endpoint = { id: 'main', url: 'https://shop.example/hooks' }
    const deps = workerDeps(database.db(), { clock, endpoints: [clientWith(endpoint)] })
    const insertSession = async (hex: string, expiresAt: Date) => {
      const uuid = `019347a0-0000-7000-8000-00000000000${hex}`
      await query(
        `insert into payment_intents (merchant_id, id, amount, currency, status, payment_method_types, metadata,
            client_secret, livemode)
          values ($1, $2, 500, 'XAF', 'requires_payment_method', '{mtn_momo_cm}', '{}', 'secret', false)`,
        [MERCHANT, uuid],
      )
      await query(
        `insert into checkout_sessions (merchant_id, id, payment_intent_id, status, client_secret, ui_mode, metadata,
            livemode, expires_at)
          values ($1, $2, $2, 'open', 'secret', 'embedded', '{}', false, $3)`,
        [MERCHANT, uuid, expiresAt],
      )
    }
    await insertSession('1', at(HOUR_MS))
    await insertSession('2', at(HOUR_MS + 1))
    advance(HOUR_MS)

    expect(await lapseSessions(deps)).toEqual({ lapsed: 1, full: false })
    expect(await lapseSessions(deps)).toEqual({ lapsed: 0, full: false })
    await fanOutEvents(deps)

    expect(await query('select status, payment_status from checkout_sessions order by id')).toEqual([
      { status: 'expired', payment_status: 'unpaid' },
      { status: 'open', payment_status: 'unpaid' },
    ])
    expect(
      await query('select e.type, d.status from events e join deliveries d on d.event_id = e.id'),
    ).toEqual([{ type: 'checkout.session.expired', status: 'pending' }])
  })
})

describe('housekeeping', () => {
  test('removes expired keys, and no others', async () => {
    const { clock } = movableClock()
    const insertKey = (key: string, expiresAt: Date) =>
      query(
        `insert into idempotency_keys (merchant_id, scope, key, fingerprint, status, body, expires_at)
          values ($1, 'v1', $2, '', 200, '{}', $3)`,
        [MERCHANT, key, expiresAt],
      )
    await insertKey('old', at(-1))
    await insertKey('just now', at(0))
    await insertKey('alive', at(1))

    expect(await sweepKeys(workerDeps(database.db(), { clock }))).toEqual({ removed: 2, full: false })

    expect(await query('select key from idempotency_keys')).toEqual([{ key: 'alive' }])
  })

  test('removes keys in batches, and reports that more are left', async () => {
    const { clock } = movableClock()
    const deps = workerDeps(database.db(), { clock })
    await query(
      `insert into idempotency_keys (merchant_id, scope, key, fingerprint, expires_at)
        select $1, 'v1', n::text, '', $2 from generate_series(1, 5001) n`,
      [MERCHANT, at(-1)],
    )

    expect(await sweepKeys(deps)).toEqual({ removed: 5_000, full: true })
    expect(await sweepKeys(deps)).toEqual({ removed: 1, full: false })
  })

  test('removes a jti only when no leeway could make its assertion valid again', async () => {
    const { clock } = movableClock()
    await query('insert into spent_jtis values (gen_random_uuid(), $1), (gen_random_uuid(), $2)', [
      at(-HOUR_MS),
      at(-HOUR_MS + 1),
    ])

    expect(await sweepJtis(workerDeps(database.db(), { clock }))).toEqual({ removed: 1, full: false })

    expect(await query('select expires_at from spent_jtis')).toEqual([{ expires_at: at(-HOUR_MS + 1) }])
  })

  test('creates the partitions of the month and of the next three, once', async () => {
    const clock = () => Date.UTC(2031, 10, 30, 23)
    const deps = workerDeps(database.db(), { clock })

    expect(await makePartitions(deps)).toEqual({ full: false })
    expect(await makePartitions(deps)).toEqual({ full: false })

    const made =
      await query(`select c.relname as name from pg_class c join pg_inherits i on i.inhrelid = c.oid
      where c.relkind = 'r' and c.relname ~ '_203[12]' order by c.relname`)
    expect(made.map(({ name }) => name)).toEqual(
      ['deliveries', 'delivery_attempts', 'events'].flatMap((table) =>
        ['203111', '203112', '203201', '203202'].map((month) => `${table}_${month}`),
      ),
    )
  })

  test('leaves a month that another session holds up to the next hour, with an alert', async () => {
    const deps = workerDeps(database.db(), { clock: () => Date.UTC(2035, 4, 31) })
    const endDump = await holdTransaction(database.db(), (tx) =>
      tx.selectFrom('deliveries').select('id').limit(1).execute(),
    )

    const report = await makePartitions(deps).finally(endDump)
    expect(report).toEqual({ full: false })
    expect(deps.alerts).toEqual([{ name: 'partition_held', facts: { month: '203505' } }])

    await makePartitions(deps)
    expect(deps.alerts).toHaveLength(1)
    expect(
      await query(
        `select right(c.relname, 6) as month from pg_class c where c.relname ~ '^events_2035..$' order by 1`,
      ),
    ).toEqual(['203505', '203506', '203507', '203508'].map((month) => ({ month })))
  })

  test('drops months older than the retention, one after another, and never one with pending work', async () => {
    const clock = () => Date.UTC(2022, 5, 15)
    const deps = workerDeps(database.db(), { clock })
    const monthsOf2021 = [0, 1, 2, 3, 4].map((month) => Date.UTC(2021, month, 10))
    for (const ms of monthsOf2021) await query('select ensure_partitions($1)', [new Date(ms)])
    const ids: EventId[] = []
    for (const ms of monthsOf2021) ids.push((await insertEvent(ms)).id)
    // January's event stays pending.
    for (const [n, id] of ids.entries()) if (n > 0) await finish(id, n === 1 ? 'exhausted' : 'succeeded')
    const left = async () =>
      (
        await query(`select distinct right(inhrelid::regclass::text, 6) as month from pg_inherits
          where inhrelid::regclass::text ~ '^(events|deliveries|delivery_attempts)_2021\\d\\d$' order by 1`)
      ).map(({ month }) => month)

    const run = async () => {
      while ((await dropOldPartitions(deps, { days: 400, onlyArchived: false })).full);
    }
    await run()
    expect(await left()).toEqual(['202101', '202102', '202105'])
    expect(deps.alerts).toEqual([
      { name: 'partition_kept', facts: { month: '202101' } },
      { name: 'partition_kept', facts: { month: '202102' } },
    ])

    await query('delete from fanout_jobs')
    await query("update deliveries set status = 'pending' where status = 'exhausted'")
    await query("update deliveries set status = 'succeeded'")
    await run()
    // May had not ended 400 days before.
    expect(await left()).toEqual(['202105'])
    expect(await query('select id::text from events')).toEqual([{ id: dashed(ids[4]) }])
  })

  test('drops old rows of a default partition too, and keeps those of a month to come', async () => {
    const clock = () => Date.UTC(2022, 5, 15)
    const deps = workerDeps(database.db(), { clock })
    await query('delete from events')
    const [april, june, future] = [Date.UTC(2020, 3, 10), Date.UTC(2020, 5, 10), Date.UTC(2099, 0, 10)]
    const ids: EventId[] = []
    for (const ms of [april, june, future]) ids.push((await insertEvent(ms)).id)
    for (const id of ids) await finish(id, 'succeeded')
    const parts = async () =>
      (await query('select tableoid::regclass::text as part from events')).map(({ part }) => part)
    expect(await parts()).toEqual(['events_default', 'events_default', 'events_default'])
    while ((await dropOldPartitions(deps, { days: 400, onlyArchived: false })).full);
    expect(await parts()).toEqual(['events_default'])
    expect(await query('select id::text from events')).toEqual([{ id: dashed(ids[2]) }])
    await query('delete from events')
  })

  test('drops a month that came back after its archive only once it is archived again', async () => {
    const deps = workerDeps(database.db(), { clock: () => Date.UTC(2022, 5, 15) })
    await query(`select ensure_partitions('2019-05-10')`)
    await finish((await insertEvent(Date.UTC(2019, 4, 10))).id, 'succeeded')
    await query(
      `insert into archived_months (month, run, verified_at, manifest_sha256, dropped_at)
        values ('201905', gen_random_uuid(), now(), repeat('0', 64), now())`,
    )
    await dropOldPartitions(deps, { days: 400, onlyArchived: true })
    expect(deps.alerts).toEqual([{ name: 'archive_overdue', facts: { month: '201905' } }])
    await query(`update archived_months set dropped_at = null`)
    await dropOldPartitions(deps, { days: 400, onlyArchived: true })
    const part = `select to_regclass('events_201905') as part`
    expect(await query(part)).toEqual([{ part: null }])
    // It comes back once more, without a row.
    await query(`select ensure_partitions('2019-05-10')`)
    await dropOldPartitions(deps, { days: 400, onlyArchived: true })
    expect(await query(part)).toEqual([{ part: null }])
    expect(deps.alerts).toHaveLength(1)
    await query('delete from archived_months')
  })

  test('with archives drops only the months that are verified, and alerts for one that is two days late', async () => {
    // July of 2021 ended 371 days before: the retention and the two days.
    const clock = () => Date.UTC(2022, 7, 7)
    const deps = workerDeps(database.db(), { clock })
    // The month that the test before has left.
    while ((await dropOldPartitions(deps, { days: 369, onlyArchived: false })).full);
    for (const month of [5, 6, 9])
      await query('select ensure_partitions($1)', [new Date(Date.UTC(2021, month, 10))])
    const retention = { days: 369, onlyArchived: true }
    const run = async () => {
      while ((await dropOldPartitions(deps, retention)).full);
    }
    const left = async () =>
      (
        await query(`select right(inhrelid::regclass::text, 6) as month from pg_inherits
          where inhrelid::regclass::text ~ '^events_2021(06|07|10)$' order by 1`)
      ).map(({ month }) => month)
    await query(
      `insert into archived_months (month, run, verified_at, manifest_sha256)
        values ('202106', gen_random_uuid(), now(), repeat('0', 64)), ('202107', gen_random_uuid(), null, null)`,
    )

    await run()
    expect(await left()).toEqual(['202107', '202110'])
    expect(deps.alerts).toEqual([{ name: 'archive_overdue', facts: { month: '202107' } }])
    expect(await query('select month from archived_months where dropped_at is not null')).toEqual([
      { month: '202106' },
    ])

    const early = workerDeps(database.db(), { clock: () => clock() - 1 })
    await dropOldPartitions(early, retention)
    expect(early.alerts).toEqual([])
    expect(await left()).toEqual(['202107', '202110'])
  })
})

describe('a removal of thousands of rows', () => {
  test.each([
    [
      'keys',
      sweepKeys,
      `insert into idempotency_keys (merchant_id, scope, key, fingerprint, expires_at)
        select '${MERCHANT}', 'v1', n::text, '', $1::timestamptz - make_interval(secs => n)
        from generate_series(1, 5002) n`,
      (tx: Tx) =>
        tx.selectFrom('idempotency_keys').select('key').orderBy('expires_at').limit(1).forUpdate().execute(),
    ],
    [
      'jtis',
      sweepJtis,
      `insert into spent_jtis select gen_random_uuid(), $1::timestamptz - make_interval(secs => n)
        from generate_series(1, 5002) n`,
      (tx: Tx) =>
        tx.selectFrom('spent_jtis').select('jti').orderBy('expires_at').limit(1).forUpdate().execute(),
    ],
  ])('one of the %s that another session holds ends no removal early', async (_, remove, make, lock) => {
    const deps = workerDeps(database.db(), { clock: () => START_MS })
    await query('truncate idempotency_keys, spent_jtis')
    await query(make, [at(-2 * HOUR_MS)])
    const release = await holdTransaction(database.db(), lock)
    onTestFinished(release)

    expect(await remove(deps)).toEqual({ removed: 4_999, full: true })
    expect(await remove(deps)).toEqual({ removed: 2, full: false })
  })
})

/** An event that was fanned out to one endpoint, with a delivery in this status. */
async function finish(id: EventId, status: string): Promise<void> {
  await query('delete from fanout_jobs where event_id = $1', [uuidOf(id)])
  await query(
    `insert into deliveries (merchant_id, event_id, endpoint_id, id, status, created_at)
      values ($1, $2, 'main', $2, $3, now())`,
    [MERCHANT, uuidOf(id), status],
  )
}

const dashed = (id: EventId | undefined) =>
  uuidOf(id as EventId).replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5')
