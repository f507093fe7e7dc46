import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { type DueWork, readDueWork } from '../src/queue/due-work.ts'
import type { Rails } from '../src/rails/port.ts'
import { makeRail, makeRefunds, PUSH } from './make.ts'
import { openWorld } from './world.ts'

const world = await openWorld()
world.push.refunds = makeRefunds()
afterAll(() => world.stop())

const run = (text: string) => sql.raw(text).execute(world.owner.writer)
const look = (busy: readonly string[] = [], rails: Rails = world.rails) =>
  readDueWork(world.db.reader, Date.now(), rails, busy)

const nothing: DueWork = {
  charges: false,
  refunds: false,
  returns: false,
  events: false,
  deliveries: false,
  bulk: false,
  erasures: false,
  alerts: false,
  payersDecide: false,
}

const railJob = (table: string, key: string) => (due: string, lease: string) =>
  `insert into ${table} (merchant_id, ${key}, rail, due_at, lease_until)
   values ('acme', gen_random_uuid(), '${PUSH}', ${due}, ${lease})`

/** Inserts a job of each queue. Fan-outs have no leases. */
const jobs = {
  charges: railJob('charge_jobs', 'charge_id'),
  refunds: railJob('refund_jobs', 'refund_id'),
  returns: railJob('return_jobs', 'return_id'),
  events: (due: string) =>
    `insert into fanout_jobs (merchant_id, event_id, due_at) values ('acme', gen_random_uuid(), ${due})`,
  deliveries: (due: string, lease: string) =>
    `insert into delivery_jobs (merchant_id, delivery_id, event_id, endpoint_id, due_at, lease_until)
     values ('acme', gen_random_uuid(), gen_random_uuid(), 'main', ${due}, ${lease})`,
  bulk: (due: string, lease: string) =>
    `insert into bulk_jobs (id, kind, ids, objects, status, reason, actor_subject, actor_name, actor_role, request_id,
       created_at, due_at, lease_until)
     values (gen_random_uuid(), 'fanout.retry', array[gen_random_uuid()], 1, 'running', 'test', 's', 'n', 'admin', 'r',
       now(), ${due}, ${lease})`,
  erasures: (due: string, lease: string) =>
    `insert into customer_erasures (merchant_id, customer_id, begun_at, keeps_row, clearing, due_at, lease_until)
     values ('acme', gen_random_uuid(), now(), true, 'events', ${due}, ${lease})`,
}
const raiseAlert = `
  insert into raised_alerts (id, merchant_id, alert, object, facts, raised_at)
  values ('01a1fd77-072f-77d0-9897-bd720fc50212', 'acme', 'charge_stuck', 'ch_1', '{}', now())`
const queues = Object.keys(jobs) as (keyof typeof jobs)[]
const HELD = `now() + interval '1 minute'`
const PAST = `now() - interval '1 second'`
const LONG_PAST = `now() - interval '61 seconds'`

describe('a look into the queues', () => {
  beforeEach(() =>
    run(
      `truncate charge_jobs, refund_jobs, return_jobs, fanout_jobs, delivery_jobs, bulk_jobs, customer_erasures,
         raised_alerts, refused_rows, merchant_moves`,
    ),
  )

  test('finds nothing in empty queues', async () => {
    expect(await look()).toEqual(nothing)
  })

  test.each(queues)(
    'finds a due job of %s, and one whose lease has ended, and no other queue',
    async (queue) => {
      await run(jobs[queue](PAST, 'null'))
      expect(await look()).toEqual({ ...nothing, [queue]: true })
      if (queue === 'events') return
      await run('truncate charge_jobs, refund_jobs, return_jobs, delivery_jobs, bulk_jobs, customer_erasures')
      await run(jobs[queue](PAST, PAST))
      expect(await look()).toEqual({ ...nothing, [queue]: true })
    },
  )

  test.each(queues.filter((queue) => queue !== 'events'))('leaves out a leased job of %s', async (queue) => {
    await run(jobs[queue](PAST, HELD))
    expect(await look()).toEqual(nothing)
  })

  test.each(queues)('leaves out a job of %s that is due in a minute', async (queue) => {
    await run(jobs[queue](HELD, 'null'))
    expect(await look()).toEqual(nothing)
  })

  test.each(queues.filter((queue) => queue !== 'bulk'))(
    'leaves out a job of %s of a merchant that moves to another cell',
    async (queue) => {
      await run(jobs[queue](PAST, 'null'))
      await run(`
        insert into merchant_moves (merchant_id, state, move_id, other_cell)
        values ('acme', 'frozen', gen_random_uuid(), 'b')`)
      expect(await look()).toEqual(nothing)
    },
  )

  test('finds a raised alert, unless its merchant moves or PostgreSQL has refused it', async () => {
    await run(raiseAlert)
    expect(await look()).toEqual({ ...nothing, alerts: true })
    await run(`
      insert into refused_rows (pass, row_key, refused_at, due_at)
      values ('record-attention', '01a1fd77072f77d09897bd720fc50212', now(), ${HELD})`)
    expect(await look()).toEqual(nothing)
    await run('truncate refused_rows')
    await run(`
      insert into merchant_moves (merchant_id, state, move_id, other_cell)
      values ('acme', 'frozen', gen_random_uuid(), 'b')`)
    expect(await look()).toEqual(nothing)
  })

  test('leaves out the charges of busy rails, and finds those of another one', async () => {
    await run(jobs.charges(PAST, 'null'))
    expect(await look([PUSH])).toEqual(nothing)
    await run(jobs.charges(LONG_PAST, 'null').replace(PUSH, 'other_rail'))
    expect(await look([PUSH])).toEqual({ ...nothing, charges: true })
  })

  test.each(['charges', 'refunds', 'returns'] as const)(
    'leaves %s of a rail that this worker does not know to others for a minute',
    async (queue) => {
      // A rail without refunds is known for charges alone.
      const older: Rails = queue === 'charges' ? new Map() : new Map([[PUSH, makeRail(PUSH)]])
      await run(jobs[queue](PAST, 'null'))
      expect(await look([], older)).toEqual(nothing)
      await run(jobs[queue](LONG_PAST, 'null'))
      expect(await look([], older)).toEqual({ ...nothing, [queue]: true })
    },
  )

  test('reports no deciding payers of a rail that this worker does not know', async () => {
    await run(jobs.charges(`now() + interval '20 seconds'`, 'null'))
    expect(await look([], new Map())).toEqual(nothing)
  })

  test('reports deciding payers while a charge is due within seconds, also on a busy rail', async () => {
    await run(jobs.charges(`now() + interval '20 seconds'`, 'null'))
    expect(await look()).toEqual({ ...nothing, payersDecide: true })
    expect(await look([PUSH])).toEqual({ ...nothing, payersDecide: true })
  })
})
