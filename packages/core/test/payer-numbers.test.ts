import { SETTLED_AFTER_MS } from '@merchant-payments/db'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type CustomerId, mintId, uuidOf } from '../src/base/ids.ts'
import { deleteCustomer } from '../src/customers/erasure/delete.ts'
import { STEP_ROWS_MAX } from '../src/customers/erasure/step.ts'
import { clearIntents } from '../src/customers/erasure/words-store.ts'
import { CHECKED_MAX, COLLECTED_MAX, collectPayerNumbers } from '../src/payer-numbers/collect.ts'
import { addNumbersOf, holdWalk, tryHoldWalk } from '../src/payer-numbers/store.ts'
import { findChargesOfPart } from '../src/screens/lookup/store.ts'
import { ACME, makeCharge, makeIntent, T0 } from './make.ts'
import {
  finishAll,
  openWorld,
  saveCharge,
  saveCustomer,
  saveIntent,
  untilWaiting,
  type World,
} from './world.ts'

let world: World
beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world.stop())

const DAY_MS = 86_400_000

const run = (text: string) => sql.raw(text).execute(world.owner.writer)

interface Paid {
  readonly number?: string
  readonly atMs?: number
  readonly customerId?: CustomerId | null
}

/** A failed charge of a payer with this number. */
async function pay({ number = '237677112233', atMs = T0 - 40 * DAY_MS, customerId = null }: Paid = {}) {
  const id = mintId('ch', atMs)
  const intent = await saveIntent(
    world,
    makeIntent('requires_payment_method', { id: mintId('pi', atMs), customerId }),
  )
  await saveCharge(world, makeCharge('failed', { id, intentId: intent.id, customerId, nextQueryAtMs: null }))
  await run(`update charges set payer_msisdn = '${number}' where id = '${uuidOf(id)}'`)
  return uuidOf(id)
}

async function collectAll(): Promise<void> {
  while ((await collectPayerNumbers(world)).full);
}

async function numbers(): Promise<string[]> {
  const { rows } = await sql<{ msisdn: string }>`select msisdn from payer_numbers order by msisdn`.execute(
    world.db.writer,
  )
  return rows.map(({ msisdn }) => msisdn)
}

const foundBy = async (part: string) =>
  (await findChargesOfPart(world.db.lists, part, 50)).map(({ id }) => id.replaceAll('-', ''))

describe('the worker collects the numbers of charges', () => {
  test('of any age, each once, and their charges are found by digits from anywhere', async () => {
    const old = await pay({ atMs: T0 - 400 * DAY_MS })
    const later = await pay()
    await pay({ number: '242066543210' })
    expect(await foundBy('7112')).toEqual([])
    await collectAll()
    expect(await numbers()).toEqual(['237677112233', '242066543210'])
    for (const part of ['7112', '237677', '71122', '2233', '23767711223']) {
      expect([part, await foundBy(part)]).toEqual([part, [later, old]])
    }
    for (const part of ['7113', '22337', '71123']) expect([part, await foundBy(part)]).toEqual([part, []])
  })

  test('behind those that may not be committed yet, and goes on where it was', async () => {
    await pay({ atMs: T0 - SETTLED_AFTER_MS - 1 })
    await pay({ number: '237677445566', atMs: T0 - SETTLED_AFTER_MS + 1 })
    expect(await collectPayerNumbers(world)).toEqual({ charges: 1, full: false })
    expect(await numbers()).toEqual(['237677112233'])
    world.nowMs += SETTLED_AFTER_MS
    expect(await collectPayerNumbers(world)).toEqual({ charges: 1, full: false })
    expect(await numbers()).toEqual(['237677112233', '237677445566'])
    expect(await collectPayerNumbers(world)).toEqual({ charges: 0, full: false })
  })

  test('a bounded number of charges in each run', async () => {
    await run(`do $$ begin
      set local session_replication_role = replica;
      insert into charges (merchant_id, id, payment_intent_id, rail, status, amount, currency, payer_msisdn, reference,
        opened_at, submit_deadline)
      select 'acme', uuid_v7_floor(timestamptz '2025-01-01Z' + make_interval(secs => n)), gen_random_uuid(), 'r', 'failed', 1,
        'XAF', '237' || lpad(n::text, 9, '0'), n, now(), now()
      from generate_series(1, ${COLLECTED_MAX + 1}) n;
    end $$`)
    expect(await collectPayerNumbers(world)).toEqual({ charges: COLLECTED_MAX, full: true })
    expect(await collectPayerNumbers(world)).toEqual({ charges: 1, full: false })
    expect(await numbers()).toHaveLength(COLLECTED_MAX + 1)
  })

  test('a charge that PostgreSQL refuses delays no other, and raises an alert', async () => {
    await pay({ number: '237677000001' })
    const refused = await pay({ number: '237677000002' })
    await pay({ number: '237677000003' })
    await run(`create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'refused'; end $$`)
    await run(`create trigger refuse before insert on payer_numbers for each row
      when (new.msisdn = '237677000002') execute function refuse()`)
    await collectAll()
    expect(await numbers()).toEqual(['237677000001', '237677000003'])
    expect(world.alerts).toEqual([
      {
        name: 'row_refused',
        facts: { pass: 'collect-payer-numbers', row: `ch_${refused}`, error: 'P0001' },
      },
    ])
  })

  test('a charge whose number waits as long as a statement may is collected by a later run', async () => {
    await pay({ number: '237677000004' })
    // Behind a pooler that sets no lock time-out, a lock of the table ends so.
    await run(`create function wait_in_vain() returns trigger language plpgsql as
      $$ begin raise exception 'too slow' using errcode = '57014'; end $$`)
    await run(`create trigger wait_in_vain before insert on payer_numbers for each row
      execute function wait_in_vain()`)
    expect(await collectPayerNumbers(world)).toEqual({ charges: 0, full: false })
    expect(world.alerts).toEqual([])
    await run('drop function wait_in_vain cascade')
    expect(await collectPayerNumbers(world)).toEqual({ charges: 1, full: false })
    expect(await numbers()).toEqual(['237677000004'])
  })

  test('from the beginning again, if its position is set back meanwhile', async () => {
    await pay({ atMs: T0 - DAY_MS })
    await collectAll()
    const brought = await pay({ number: '237677445566' })
    await collectAll()
    expect(await foundBy('7445')).toEqual([])
    await run(`update payer_number_walk set position = '00000000-0000-0000-0000-000000000000'`)
    await collectAll()
    expect(await foundBy('7445')).toEqual([brought])
  })
})

describe('an erased number', () => {
  const erase = async (id: CustomerId) => {
    await deleteCustomer(world, ACME, id, 'req_1')
    await finishAll(world)
  }

  test('is gone with the erasure, and is not collected again', async () => {
    const customerId = await saveCustomer(world)
    await pay({ customerId })
    await pay({ number: '237677445566' })
    await collectAll()
    await erase(customerId)
    expect(await numbers()).toEqual(['237677445566'])
    expect(await foundBy('7112')).toEqual([])
    await run(`update payer_number_walk set position = '00000000-0000-0000-0000-000000000000'`)
    await collectAll()
    expect(await numbers()).toEqual(['237677445566'])
  })

  test('stays while another charge has it, and goes with the last one', async () => {
    const [one, other] = [await saveCustomer(world), await saveCustomer(world)]
    await pay({ customerId: one })
    const left = await pay({ customerId: other })
    await collectAll()
    await erase(one)
    expect(await foundBy('7112')).toEqual([left])
    await erase(other)
    expect(await numbers()).toEqual([])
  })

  test('goes with two erasures at once, neither of which sees the other', async () => {
    const [one, other] = [await saveCustomer(world), await saveCustomer(world)]
    await pay({ customerId: one })
    await pay({ customerId: other })
    await collectAll()
    let erased: Promise<void> | undefined
    await world.db.transact(async (tx) => {
      const scope = { merchantId: ACME, customerId: one, begunAtMs: T0 }
      await clearIntents(tx, scope, null, STEP_ROWS_MAX)
      erased = erase(other)
      await Promise.race([untilWaiting(world), erased])
    })
    await erased
    expect(await numbers()).toEqual([])
  })

  test('is not collected by a worker that holds the walk while the erasure begins', async () => {
    const customerId = await saveCustomer(world)
    const charge = await pay({ customerId })
    let erased: Promise<void> | undefined
    await world.db.transact(async (tx) => {
      const held = await tryHoldWalk(tx)
      if (held === null) throw new Error('the walk is held')
      await addNumbersOf(held, [charge])
      erased = erase(customerId)
      // Without the lock the erasure ends here, and does not see the number that this transaction wrote.
      await Promise.race([untilWaiting(world), erased])
    })
    await erased
    expect(await numbers()).toEqual([])
  })

  test('is not collected while an erasure holds the walk: the run ends, and the next one begins at the same charge', async () => {
    await pay()
    await world.db.transact(async (tx) => {
      await holdWalk(tx)
      expect(await collectPayerNumbers(world)).toEqual({ charges: 0, full: false })
    })
    expect(await numbers()).toEqual([])
    await collectAll()
    expect(await numbers()).toEqual(['237677112233'])
  })
})

test('numbers that no charge has any more are removed, a bounded number in each run', async () => {
  await pay()
  await collectAll()
  await run(`insert into payer_numbers (msisdn) select '2376' || lpad(n::text, 8, '0')
    from generate_series(1, ${2 * CHECKED_MAX}) n`)
  const left: number[] = []
  for (let runs = 0; runs < 3; runs += 1) {
    await collectPayerNumbers(world)
    left.push((await numbers()).length)
  }
  // The walk's first round ended at the only number.
  expect(left).toEqual([CHECKED_MAX + 2, 2, 1])
  expect(await numbers()).toEqual(['237677112233'])
})
