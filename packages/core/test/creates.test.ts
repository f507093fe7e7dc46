import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { newSessions } from '../src/checkout-sessions/insertions.ts'
import { type CreationResult, CREATIONS_MAX } from '../src/commit/creates.ts'
import type { KeyClaim } from '../src/commit/key.ts'
import { batchWrites, type SharedWrite } from '../src/commit/writes.ts'
import { type CustomerId, type MerchantId, mintId, uuidOf } from '../src/base/ids.ts'
import { newInvoices } from '../src/invoices/insertions.ts'
import { invoiceEventOf } from '../src/invoices/invoice.ts'
import { findInvoice } from '../src/invoices/store.ts'
import { newIntents } from '../src/payment-intents/insertions.ts'
import { ACME, makeIntent, makeInvoice, makeSession, T0 } from './make.ts'
import {
  claimOf,
  countedWrites,
  hold,
  markErased,
  openWorld,
  readIntent,
  readKey,
  readSession,
  saveCustomer,
  untilWaiting,
  usedAt,
} from './world.ts'

const DAY_MS = 86_400_000
const SHUT = 'shut' as MerchantId
const FIRST = 'first' as MerchantId

const world = await openWorld()
await sql`insert into disabled_clients (client_id, reason) values (${SHUT}, 'test')`.execute(world.db.writer)
afterAll(() => world.stop())

interface Wanted {
  readonly customerId: CustomerId
  readonly claim?: KeyClaim
  readonly merchantId?: MerchantId
  readonly nowMs?: number
  /** PostgreSQL does not accept this character. */
  readonly description?: 'a\u0000b' | null
}

/** The fields that every create has, and the way to read its resource. */
function creation({ claim = claimOf(), merchantId = ACME, nowMs = T0 }: Wanted) {
  const key = { ...claim, merchantId }
  return { claim: key, answer: { status: 200, body: `{"key":"${key.key}"}`, shouldRetry: null }, nowMs }
}

interface Made<Item> {
  readonly item: Item
  /** The stored resource, or undefined. */
  readonly read: () => Promise<unknown>
  readonly expected: unknown
}

function newIntent(wanted: Wanted) {
  const { merchantId = ACME, customerId, description = null } = wanted
  const intent = makeIntent('requires_payment_method', { merchantId, customerId, description, revision: 0 })
  return { item: { ...creation(wanted), intent }, read: () => readIntent(world, intent.id), expected: intent }
}

function newSession(wanted: Wanted) {
  const { item } = newIntent(wanted)
  const session = makeSession(item.intent, 'open', { customerId: wanted.customerId, revision: 0 })
  return { item: { ...item, session }, read: () => readSession(world, session.id), expected: session }
}

function newInvoice(wanted: Wanted) {
  const { merchantId = ACME, customerId, description = null, nowMs = T0 } = wanted
  const invoice = makeInvoice('draft', {
    merchantId,
    customerId,
    description,
    number: null,
    totalMinor: 0,
    lineCount: 0,
    revision: 0,
  })
  const read = async () => (await findInvoice(world.db.reader, merchantId, invoice.id)).found?.invoice
  const event = invoiceEventOf('invoice.created', invoice, nowMs)
  return { item: { ...creation(wanted), invoice, event }, read, expected: invoice }
}

const eventsOf = async (bodies: string) => {
  const { rows } = await sql<{ type: string }>`
    select type from events where position(${bodies} in body) > 0`.execute(world.db.writer)
  return rows.map(({ type }) => type)
}

function holds<Item extends { claim: KeyClaim; answer: { body: string } }>(
  name: string,
  kind: SharedWrite<Item, CreationResult>,
  make: (wanted: Wanted) => Made<Item>,
) {
  const write = (all: readonly Made<Item>[]) =>
    kind.write(
      world.db.writer,
      all.map(({ item }) => item),
      'wait',
    )

  describe(`the ${name} of several requests that name customers`, () => {
    test('are written whole with their answers, and stamp their customers', async () => {
      const customers = await Promise.all([0, 1, 2].map(() => saveCustomer(world, { usedAtMs: T0 - 1_000 })))
      const later = await saveCustomer(world, { usedAtMs: T0 + 1_000 })
      const all = Array.from({ length: CREATIONS_MAX }, (_, n) =>
        make({ customerId: [...customers, later][n % 4] ?? later }),
      )
      expect(new Set(await write(all))).toEqual(new Set(['inserted']))
      for (const { read, expected, item } of all) {
        expect(await read()).toEqual(expected)
        expect(await readKey(world, item.claim)).toMatchObject({ status: 200, body: item.answer.body })
      }
      expect(await Promise.all(customers.map((id) => usedAt(world, id)))).toEqual([T0, T0, T0])
      expect(await usedAt(world, later)).toBe(T0 + 1_000)
      await expect(write([...all, make({ customerId: later })])).rejects.toThrow(RangeError)
    })

    test('are decided separately', async () => {
      const [customerId, unused] = [await saveCustomer(world), await saveCustomer(world, { usedAtMs: 0 })]
      const erased = await saveCustomer(world, { erased: true })
      const [taken, old] = [make({ customerId }), make({ customerId, nowMs: T0 - DAY_MS })]
      await write([taken, old])
      const all = {
        inserted: make({ customerId }),
        'over an expired key': make({ customerId, claim: old.item.claim }),
        client_disabled: make({ customerId, merchantId: SHUT }),
        'an earlier answer': make({ customerId: unused, claim: taken.item.claim }),
        key_taken: make({ customerId: unused, claim: claimOf(taken.item.claim.key, 'another=body') }),
        customer_erased: make({ customerId: erased }),
        customer_missing: make({ customerId: mintId('cus', T0) }),
        'of a foreign customer': make({ customerId, merchantId: FIRST }),
      }
      const ends = await write(Object.values(all))
      expect(Object.fromEntries(Object.keys(all).map((key, n) => [key, ends[n]]))).toEqual({
        inserted: 'inserted',
        'over an expired key': 'inserted',
        client_disabled: 'client_disabled',
        'an earlier answer': { ...taken.item.answer, replayed: true },
        key_taken: 'key_taken',
        customer_erased: 'customer_erased',
        customer_missing: 'customer_missing',
        'of a foreign customer': 'customer_missing',
      })
      const stored = await Promise.all(Object.values(all).map(({ read }) => read()))
      expect(stored.map((found) => found !== undefined)).toEqual(ends.map((end) => end === 'inserted'))
      expect(await readKey(world, old.item.claim)).toMatchObject({ fence: 2 })
      // A replay does not stamp the customer.
      expect(await usedAt(world, unused)).toBe(0)
    })

    test('do not deadlock with other statements that share their customers and keys', async () => {
      for (let round = 0; round < 6; round += 1) {
        const customers = await Promise.all(Array.from({ length: 16 }, () => saveCustomer(world)))
        const claims = customers.map(() => claimOf())
        const results = await Promise.all(
          Array.from({ length: 8 }, (_, n) => {
            const made = customers.map((customerId, at) =>
              make({ customerId, ...(n < 4 ? { claim: claims[at] ?? claimOf() } : {}) }),
            )
            return write(n % 2 === 0 ? made : made.toReversed())
          }),
        )
        expect(results.flat().filter((end) => end === 'inserted')).toHaveLength(5 * customers.length)
      }
    })

    test('whose requests share a key leave one after the other, and the others leave with the first', async () => {
      const [claim, customerId] = [claimOf(), await saveCustomer(world)]
      const made = [make({ customerId, claim }), make({ customerId }), make({ customerId, claim })]
      const { writes, statements } = countedWrites(world.db.writer)
      const ends = await Promise.all(made.map(({ item }) => writes.together(kind, item)))
      const [first, other, second] = made.map(({ item }) => item)
      expect(statements).toEqual([
        { items: [first, other], ifLocked: 'skip' },
        { items: [second], ifLocked: 'skip' },
      ])
      expect(ends).toEqual(['inserted', 'inserted', { ...first?.answer, replayed: true }])
    })

    test('wait for a held customer alone, and delay no other', async () => {
      const [one, two] = [await saveCustomer(world), await saveCustomer(world)]
      const free = await hold(world, sql`select 1 from customers where id = ${uuidOf(one)}::uuid for update`)
      const { together } = batchWrites(world.db.writer)
      const [waits, goes] = [make({ customerId: one }), make({ customerId: two })].map(({ item }) =>
        together(kind, item),
      )
      let ended = false
      void waits?.then(() => (ended = true))
      expect(await goes).toBe('inserted')
      expect(ended).toBe(false)
      await untilWaiting(world)
      await free()
      expect(await waits).toBe('inserted')
    })

    test('find a customer erased whose erasure they waited for', async () => {
      const customerId = await saveCustomer(world)
      const made = make({ customerId })
      const { together } = batchWrites(world.db.writer)
      let end: Promise<CreationResult> | undefined
      await world.db.transact(async (tx) => {
        await markErased(tx, customerId)
        end = together(kind, made.item)
        await untilWaiting(world)
      })
      // Nothing is written, and the next try finds the cause.
      expect(await end).toBe('key_taken')
      expect(await together(kind, made.item)).toBe('customer_erased')
      expect(await made.read()).toBeUndefined()
    })

    test('that the database refuses fail alone', async () => {
      const customerId = await saveCustomer(world)
      const { together } = batchWrites(world.db.writer)
      const all = [null, 'a\u0000b' as const, null].map((description) => make({ customerId, description }))
      const ends = await Promise.allSettled(all.map(({ item }) => together(kind, item)))
      expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
      expect(await all[1]?.read()).toBeUndefined()
    })
  })
}

holds('intents', newIntents, newIntent)
holds('sessions', newSessions, newSession)
holds('invoices', newInvoices, newInvoice)

test('a new session has its intent, and a new invoice its event and the counter of its merchant', async () => {
  const customerId = await saveCustomer(world)
  const session = newSession({ customerId })
  await newSessions.write(world.db.writer, [session.item], 'wait')
  expect(await readIntent(world, session.item.intent.id)).toEqual(session.item.intent)

  const { item } = newInvoice({ customerId })
  await newInvoices.write(world.db.writer, [item], 'wait')
  expect(await eventsOf(item.invoice.id)).toEqual(['invoice.created'])
  const { rows } = await sql`select merchant_id from invoice_counters`.execute(world.db.writer)
  expect(rows).toEqual([{ merchant_id: ACME }])
})
