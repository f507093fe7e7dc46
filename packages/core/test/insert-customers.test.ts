import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { noFacts } from '../src/customers/customer.ts'
import { type NewCustomer, newCustomers } from '../src/customers/insertions.ts'
import { CREATIONS_MAX } from '../src/commit/creates.ts'
import { findCustomer } from '../src/customers/store.ts'
import { newEvent } from '../src/commit/event.ts'
import { batchWrites } from '../src/commit/writes.ts'
import { type MerchantId, mintId, uuidOf } from '../src/base/ids.ts'
import { ACME, PAYER, T0 } from './make.ts'
import { claimOf, openWorld, readKey } from './world.ts'

const GLOBEX = 'globex' as MerchantId
const DAY_MS = 86_400_000

const world = await openWorld()
afterAll(() => world.stop())

function newCustomer({ merchantId = ACME, claim = claimOf(), nowMs = T0 } = {}): NewCustomer {
  const customer = {
    ...noFacts,
    merchantId,
    id: mintId('cus', nowMs),
    name: 'Awa « n° 7 » \\ "8" \u2028',
    phone: PAYER,
    address: {
      line1: 'Rue 1',
      line2: null,
      city: 'Douala',
      state: null,
      postalCode: null,
      country: 'CM',
      latitudeMicrodeg: 4_051_056,
      longitudeMicrodeg: 9_767_868,
    },
    metadata: { order: '{"a":1}', empty: '' },
    livemode: false,
    erasedAtMs: null,
    lastUsedAtMs: nowMs,
    revision: 0,
  }
  const event = newEvent(
    'customer.created',
    { id: customer.id },
    { livemode: false, customerId: customer.id, nowMs },
  )
  const answer = { status: 200, body: `{"id":"${customer.id}"}`, shouldRetry: null }
  return { claim: { ...claim, merchantId }, customer, event, answer, nowMs }
}

const insertCustomers = (customers: NewCustomer[]) => newCustomers.write(world.db.writer, customers, 'wait')

const read = async ({ customer }: NewCustomer) =>
  (await findCustomer(world.db.reader, customer.merchantId, customer.id)).found

/** Oldest first. */
const positionsOf = async (merchantId: MerchantId, customers: readonly NewCustomer[]) => {
  const ids = customers.map(({ event }) => uuidOf(event.id))
  const { rows } = await sql<{ position: number }>`select position from events
    where merchant_id = ${merchantId} and id = any (${ids}::uuid[]) order by position`.execute(
    world.db.writer,
  )
  return rows.map(({ position }) => position)
}

describe('the customers of several requests', () => {
  test('are written whole, with their events and answers, and positions in a row', async () => {
    const customers = Array.from({ length: CREATIONS_MAX }, (_, n) =>
      newCustomer({ merchantId: n % 2 === 0 ? ACME : GLOBEX }),
    )
    expect(new Set(await insertCustomers(customers))).toEqual(new Set(['inserted']))
    for (const made of customers) {
      expect(await read(made)).toEqual(made.customer)
      expect(await readKey(world, made.claim)).toMatchObject({ status: 200, body: made.answer.body })
    }
    for (const merchantId of [ACME, GLOBEX]) {
      const positions = await positionsOf(merchantId, customers)
      expect(positions).toHaveLength(CREATIONS_MAX / 2)
      expect((positions.at(-1) ?? 0) - (positions[0] ?? 0)).toBe(CREATIONS_MAX / 2 - 1)
    }
    await expect(insertCustomers([...customers, newCustomer()])).rejects.toThrow(RangeError)
  })

  test('are decided separately: a taken key, an expired key, a disabled client', async () => {
    const [taken, old] = [newCustomer(), newCustomer({ nowMs: T0 - DAY_MS })]
    await insertCustomers([taken, old])
    await sql`insert into disabled_clients (client_id, reason) values ('shut', 'test')`.execute(
      world.db.writer,
    )
    const shut = newCustomer({ merchantId: 'shut' as MerchantId })
    const again = newCustomer({ claim: old.claim })
    const late = newCustomer({ claim: taken.claim })
    const fresh = newCustomer()

    expect(await insertCustomers([shut, late, again, fresh])).toEqual([
      'client_disabled',
      { ...taken.answer, replayed: true },
      'inserted',
      'inserted',
    ])
    expect(await read(late)).toBeUndefined()
    expect(await positionsOf(ACME, [late, again, fresh])).toHaveLength(2)
    expect(await positionsOf('shut' as MerchantId, [shut])).toEqual([])
  })

  test('that the database refuses fail alone', async () => {
    const { together } = batchWrites(world.db.writer)
    const good = [newCustomer(), newCustomer()]
    const bad = newCustomer()
    const refused = { ...bad, customer: { ...bad.customer, name: 'a\u0000b' } }
    const ends = await Promise.allSettled(
      [good[0], refused, good[1]].map((one) => together(newCustomers, one as NewCustomer)),
    )
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })
})
