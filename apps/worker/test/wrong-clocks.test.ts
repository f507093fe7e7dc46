import { expect, test } from 'vitest'
import { useDatabase } from './harness.ts'
import { hang, startReceiver } from './receiver.ts'
import { startWorker } from './worker-process.ts'

const database = useDatabase()
const { query, insertEvent } = database

const TEN_MINUTES_MS = 10 * 60_000
/** The passes that take turns; each takes its first turn at once. */
const SWEEPS = 12

/**
 * For each lease, whether it ends within its own length from now by the database's clock. A worker knows that clock to
 * within half a round trip, so a second is added.
 */
const leases = `select name, lease_until > now() and lease_until <= now() + interval '1 second' + case name
    when 'rescue-deliveries' then interval '10 minutes'
    when 'expire-approvals' then interval '5 minutes'
    when 'check-proofs' then interval '5 minutes'
    when 'remove-old-keys' then interval '1 minute'
    when 'remove-old-jtis' then interval '1 minute'
    when 'roll-up' then interval '1 minute'
    when 'collect-payer-numbers' then interval '1 minute'
    when 'keep-statistics' then interval '15 seconds'
    when 'drop-partitions' then interval '24 hours'
    else interval '1 hour' end as is_right
  from leases
  union all select 'delivery', lease_until > now() and lease_until <= now() + interval '61 seconds'
  from delivery_jobs where lease_until is not null`

async function untilTurnsAreTaken(): Promise<void> {
  const turns = async () => (await query('select count(*)::integer as n from leases'))[0]?.['n']
  while ((await turns()) !== SWEEPS) await new Promise(setImmediate)
}

test.each([
  ['ahead', TEN_MINUTES_MS],
  ['behind', -TEN_MINUTES_MS],
])(
  'a worker whose clock is ten minutes %s claims due work on time, with leases of the right length',
  async (_case, systemClockOffsetMs) => {
    const receiver = await startReceiver(hang)
    await startWorker({ databaseUrl: database.appUrl(), endpointUrl: receiver.url, systemClockOffsetMs })
    const [{ now } = { now: 0 }] = await query(
      'select floor(extract(epoch from now()) * 1000)::float8 as now',
    )
    await insertEvent(Number(now))
    await receiver.received(1)
    await untilTurnsAreTaken()
    const found = await query(leases)
    expect(found.map(({ name }) => name)).toContain('delivery')
    expect(found.filter((lease) => lease['is_right'] !== true)).toEqual([])
  },
)

test('a worker whose clock is ten minutes ahead does not take what another one has leased', async () => {
  const receiver = await startReceiver((response) => {
    if (receiver.posts.length > 1) response.end()
  })
  const settings = { databaseUrl: database.appUrl(), endpointUrl: receiver.url }
  const behind = await startWorker({ ...settings, systemClockOffsetMs: -TEN_MINUTES_MS })
  const held = await insertEvent(Date.now())
  await receiver.received(1)
  // The stopped worker keeps its lease; the other worker delivers the next event.
  behind.kill('SIGSTOP')
  await startWorker({ ...settings, systemClockOffsetMs: TEN_MINUTES_MS })
  const next = await insertEvent(Date.now())
  await receiver.received(2)
  await untilTurnsAreTaken()
  expect(receiver.posts.map(({ body }) => body)).toEqual([held.body, next.body])
})
