import { addColumns } from '@merchant-payments/testing/newer-schema'
import { createMetrics } from '@merchant-payments/telemetry'
import { expect, onTestFinished, test } from 'vitest'
import { startSchedule } from '../src/schedule.ts'
import { clientWith, openTestDatabase, useDatabase, workerDeps } from './harness.ts'
import { answerWith, startReceiver } from './receiver.ts'

const database = useDatabase()
const { insertEvent, query } = database

test('every pass runs on connections that are older than a column that a later release added', async () => {
  const lost: Error[] = []
  const db = openTestDatabase(database.appUrl(), {
    poolSize: 1,
    readConnections: 0,
    onConnectionLost: (error) => lost.push(error),
  })
  onTestFinished(() => db.close())
  const receiver = await startReceiver(answerWith(200))
  const deps = workerDeps(db, { endpoints: [clientWith({ id: 'main', url: receiver.url })] })

  /** Starts every pass, the hourly sweeps too, and waits until each has succeeded. */
  async function runAll(): Promise<void> {
    await query('delete from leases')
    await insertEvent(Date.now())
    const metrics = createMetrics()
    const schedule = startSchedule(
      { ...deps, metrics },
      { pollIntervalMs: 20, retention: { days: 400, onlyArchived: false } },
    )
    await expect.poll(() => [...schedule.lastEnds().values()].filter((endMs) => endMs === null)).toEqual([])
    await expect.poll(() => query('select event_id from fanout_jobs')).toEqual([])
    await expect.poll(() => query(`select id from deliveries where status <> 'succeeded'`)).toEqual([])
    await schedule.stop()
    expect(await metrics.render()).not.toMatch(/^worker_pass_failures_total\{.*\} [1-9]/m)
  }

  await runAll()
  await addColumns(database.url())
  await runAll()

  expect(lost).toEqual([])
  expect(receiver.posts).toHaveLength(2)
})
