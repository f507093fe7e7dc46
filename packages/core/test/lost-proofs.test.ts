import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { alertOfLostProofs } from '../src/charges/lost-proofs.ts'
import { LOST_MAX } from '../src/charges/lost-proofs-store.ts'
import { ACME, PUSH } from './make.ts'
import { openWorld } from './world.ts'

test('a run tells of a bounded number of lost proofs, and the next one of the others', async () => {
  const world = await openWorld()
  onTestFinished(world.stop)
  // Charges that were ruled paid with a transaction, and as many for which the rail has reported it since.
  await world.owner.transact(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    await sql`
      insert into charges (merchant_id, id, payment_intent_id, rail, status, amount, currency, reference, opened_at,
        submit_deadline, settled_at, ruling, statement, rail_txn_id)
      select ${ACME}, i.id, i.id, ${PUSH}, 'succeeded', 100, 'XAF', i.id::text, now(), now(), now(),
        case when is_ruled then 'succeeded' end, case when is_ruled then 'T-' || n end, case when not is_ruled then 'T-' || n end
      from generate_series(1, ${LOST_MAX + 1}::integer) n
      cross join (values (true), (false)) r (is_ruled)
      cross join lateral (select uuidv7() as id where n > 0 and is_ruled is not null) i`.execute(tx)
  })
  expect(await alertOfLostProofs(world)).toEqual({ alerted: LOST_MAX, full: true })
  expect(await alertOfLostProofs(world)).toEqual({ alerted: 1, full: false })
  expect(await alertOfLostProofs(world)).toEqual({ alerted: 0, full: false })
  expect(new Set(world.alerts.map(({ facts }) => facts['charge'])).size).toBe(LOST_MAX + 1)
})
