import { uuidOf } from '@merchant-payments/core'
import { connect } from '@merchant-payments/testing/client'
import { expect, onTestFinished, test } from 'vitest'
import { MERCHANT, useDatabase } from './harness.ts'
import { answerWith, startReceiver } from './receiver.ts'
import { startWorker } from './worker-process.ts'

const database = useDatabase()
const { query, insertEvent } = database

const WAITED_MS = 120_000

test('a worker reports its work, its queues and their ages, on its own port', async () => {
  const receiver = await startReceiver(answerWith(204))
  const failed = await insertEvent(Date.now())
  await query("update fanout_jobs set fanout_state = 'failed' where event_id = $1", [uuidOf(failed.id)])
  const stuck = await insertEvent(Date.now() - WAITED_MS)
  const other = await connect(database.url())
  onTestFinished(() => other.end())
  await other.query('begin')
  await other.query('select from fanout_jobs where event_id = $1 for update', [uuidOf(stuck.id)])
  await query(
    `insert into deliveries (merchant_id, event_id, endpoint_id, id, status, created_at, finished_at)
      values ($1, gen_random_uuid(), 'main', gen_random_uuid(), 'exhausted', now(), now())`,
    [MERCHANT],
  )
  await query(
    `insert into rail_findings (rail, kind, reference, answer, source, found_at, answered_at, closed_at, closed_by, closing_reason)
      values ('mtn_momo_cm', 'charge', 'open', 'succeeded', 'log', now(), now(), null, null, null),
        ('mtn_momo_cm', 'charge', 'closed', 'succeeded', 'log', now(), now(), now(), 'amina', 'Returned.')`,
  )
  const worker = await startWorker({ databaseUrl: database.appUrl(), endpointUrl: receiver.url })
  const { metrics } = (await worker.said('ready')) as { metrics: { port: number } }
  await insertEvent(Date.now())
  await receiver.received(1)

  const read = async () => {
    const response = await fetch(`http://127.0.0.1:${metrics.port}/metrics`)
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ])
    return new Map(
      (await response.text())
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('#'))
        .map(
          (line) =>
            [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))] as const,
        ),
    )
  }
  await expect.poll(async () => (await read()).get('webhook_deliveries_total{status="succeeded"}')).toBe(1)

  const values = await read()
  expect(Object.fromEntries([...values].filter(([name]) => name.startsWith('queue_waiting')))).toEqual({
    'queue_waiting{queue="charges_to_query"}': 0,
    'queue_waiting{queue="charges_rested"}': 0,
    'queue_waiting{queue="refunds_to_instruct"}': 0,
    'queue_waiting{queue="refunds_rested"}': 0,
    'queue_waiting{queue="returns_to_instruct"}': 0,
    'queue_waiting{queue="rows_refused"}': 0,
    'queue_waiting{queue="returns_rested"}': 0,
    'queue_waiting{queue="events_to_fan_out"}': 1,
    'queue_waiting{queue="deliveries"}': 0,
    'queue_waiting{queue="deliveries_due"}': 0,
    'queue_waiting{queue="erasures"}': 0,
    'queue_waiting{queue="alerts_to_record"}': 0,
    'queue_waiting{queue="bulk_jobs"}': 0,
    'queue_waiting{queue="events_failed"}': 1,
    'queue_waiting{queue="deliveries_exhausted"}': 1,
    'queue_waiting{queue="dead_letters"}': 0,
  })
  expect(values.get('queue_oldest_overdue_seconds{queue="events_to_fan_out"}')).toBeGreaterThanOrEqual(
    WAITED_MS / 1_000,
  )
  expect(values.get('queue_oldest_overdue_seconds{queue="deliveries"}')).toBe(0)
  expect(values.get('rail_findings_open{rail="mtn_momo_cm"}')).toBe(1)
  expect(values.get('attention_items_open{alert="charge_duplicate_success"}')).toBe(0)
  expect(values.get('database_commit_wait_seconds')).toBe(0)
  for (const holder of ['session', 'standby', 'slot', 'prepared'])
    expect(values.get(`database_oldest_snapshot_seconds{holder="${holder}"}`)).toBeGreaterThanOrEqual(0)
  expect(values.get('events_fanned_out_total')).toBe(1)
  expect(values.get('webhook_attempts_total{result="succeeded",error=""}')).toBe(1)
  expect(values.get('webhook_attempt_duration_seconds_count{result="succeeded"}')).toBe(1)
  expect(values.get('worker_pass_duration_seconds_count{pass="fan-out-events"}')).toBeGreaterThan(0)
  expect(values.get('worker_pass_failures_total{pass="fan-out-events"}')).toBe(0)
  expect(values.get('process_ready')).toBe(1)
  expect(values.get('process_start_time_seconds')).toBeGreaterThan((Date.now() - WAITED_MS) / 1_000)
  expect(values.get('process_resident_memory_bytes')).toBeGreaterThan(0)
  expect((await fetch(`http://127.0.0.1:${metrics.port}/`)).status).toBe(404)
})
