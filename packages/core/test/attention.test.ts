import { openDatabase } from '@merchant-payments/db'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bufferAttention, recordAttention } from '../src/attention/record.ts'
import type { ChargeId } from '../src/base/ids.ts'
import { makeCharge, makeIntent } from './make.ts'
import { openWorld, saveCharge, saveIntent, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.stop())

async function savedCharge(): Promise<ChargeId> {
  const { id: intentId } = await saveIntent(world, makeIntent('processing'))
  return (await saveCharge(world, makeCharge('live', { intentId }))).id
}

/** A database whose statements wait for a lock only briefly. */
async function openImpatient() {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(world.owner.writer)
  await sql`alter database ${sql.id(rows[0]?.name ?? '')} set lock_timeout = '50ms'`.execute(
    world.owner.writer,
  )
  return openDatabase({
    url: world.appUrl,
    poolSize: 1,
    readConnections: 1,
    applicationName: 'core-test',
    namedStatements: true,
    onConnectionLost: () => undefined,
  })
}

const timesOf = async (charge: ChargeId): Promise<number | undefined> => {
  const row = await world.db.reader
    .selectFrom('attention_items')
    .select('times')
    .where('object', '=', charge)
    .executeTakeFirst()
  return row?.times
}

test('an item that somebody holds delays no other, and keeps its count until it is written', async () => {
  const [held, free] = [await savedCharge(), await savedCharge()]
  const buffer = bufferAttention(() => undefined)
  const raise = (charge: ChargeId) => buffer.alert('charge_stuck', { charge, rail: 'push_rail' })
  raise(held)
  await recordAttention({ db: world.db, clock: world.clock }, buffer)

  const db = await openImpatient()
  raise(held)
  raise(held)
  raise(free)
  await world.db.transact(async (tx) => {
    await sql`select 1 from attention_items where object = ${held} for update`.execute(tx)
    await recordAttention({ db, clock: world.clock }, buffer)
  })
  expect([await timesOf(held), await timesOf(free)]).toEqual([1, 1])

  await recordAttention({ db, clock: world.clock }, buffer)
  expect([await timesOf(held), await timesOf(free)]).toEqual([3, 1])
  await db.close()
})

test('an item that can never be written is given up after some tries', async () => {
  const charge = await savedCharge()
  const buffer = bufferAttention(() => undefined)
  buffer.alert('charge_stuck', { charge, rail: 'push_rail' })
  await recordAttention({ db: world.db, clock: world.clock }, buffer)

  const db = await openImpatient()
  buffer.alert('charge_stuck', { charge, rail: 'push_rail' })
  const written: number[] = []
  await world.db.transact(async (tx) => {
    await sql`select 1 from attention_items where object = ${charge} for update`.execute(tx)
    for (let pass = 0; pass < 6; pass += 1)
      written.push((await recordAttention({ db, clock: world.clock }, buffer)).written)
  })
  expect(written).toEqual([1, 1, 1, 1, 1, 0])
  await db.close()
})
