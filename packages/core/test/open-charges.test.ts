import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import type { PlainCharge } from '../src/payment-intents/opening.ts'
import { openCharge, openCharges, OPENINGS_MAX } from '../src/payment-intents/opening-store.ts'
import { type MerchantId, mintId, uuidOf } from '../src/base/ids.ts'
import type { Intent } from '../src/payment-intents/intent.ts'
import { ACME, makeIntent, makeInvoice, PAYER, PUSH, T0 } from './make.ts'
import {
  chargesOf,
  claimOf,
  countedWrites,
  openWorld,
  readIntent,
  readKey,
  saveCustomer,
  saveIntent,
  saveInvoice,
  usedAt,
} from './world.ts'

const world = await openWorld()
afterAll(() => world.stop())

const waiting = (fields: Partial<Intent> = {}) => makeIntent('requires_payment_method', fields)
const save = (fields: Partial<Intent> = {}) => saveIntent(world, waiting(fields))

function wanted({ id, merchantId }: Intent, { claim = claimOf() } = {}): PlainCharge {
  return {
    claim: { ...claim, merchantId },
    intentId: id,
    charge: {
      id: mintId('ch', T0),
      reference: randomUUID(),
      rail: PUSH,
      settlementCurrency: 'XAF',
      payer: PAYER,
      namedCustomer: null,
      session: null,
      openedAtMs: T0,
      submitDeadlineMs: T0 + 7_000,
      firstQueryAtMs: T0 + 8_000,
    },
    hold: { untilMs: T0 + 12_000, released: null },
  }
}

describe('the charges of several confirms', () => {
  test('are opened whole, for each intent that may have one, and for no other', async () => {
    const customer = await saveCustomer(world, { usedAtMs: T0 - 1_000 })
    const erased = await saveCustomer(world, { erased: true })
    const billed = await saveInvoice(world, makeInvoice('open'))
    const voided = await saveInvoice(world, makeInvoice('void'))
    await sql`insert into disabled_clients (client_id, reason) values ('shut', 'test')`.execute(
      world.db.writer,
    )
    const opens: Record<string, Intent> = {
      plain: await save(),
      'of a customer': await save({ customerId: customer }),
      'of the same customer': await save({ customerId: customer }),
      'of an open invoice': await save({ invoiceId: billed.id, customerId: billed.customerId }),
    }
    const refuses: Record<string, Intent> = {
      'of an erased customer': await save({ customerId: erased }),
      'of a void invoice': await save({ invoiceId: voided.id, customerId: voided.customerId }),
      'that is processing': await saveIntent(world, makeIntent('processing')),
      'that is missing': waiting(),
      'of another merchant': { ...(await save({ merchantId: 'other' as MerchantId })), merchantId: ACME },
      'of a disabled client': await save({ merchantId: 'shut' as MerchantId }),
      'in another currency': await save({ currency: 'EUR' }),
    }
    const all = Object.entries({ ...refuses, ...opens })
    const asked = all.map(([, intent]) => wanted(intent))

    const openings = await openCharges(world.db.writer, asked)

    expect(
      Object.fromEntries(
        all.map(([name], n) => [
          name,
          [openings[n]?.clientOpen, openings[n]?.fence, openings[n]?.charge?.status],
        ]),
      ),
    ).toEqual({
      ...Object.fromEntries(Object.keys(opens).map((name) => [name, [true, 1, 'submitting']])),
      ...Object.fromEntries(Object.keys(refuses).map((name) => [name, [true, null, undefined]])),
      'of a disabled client': [false, null, undefined],
    })
    for (const [n, { claim, charge, intentId }] of asked.entries()) {
      const opened = openings[n]?.charge
      expect(await chargesOf(world, intentId)).toEqual(opened === undefined ? [] : [opened])
      expect((await readKey(world, claim))?.resource_id?.replaceAll('-', '')).toBe(
        opened && uuidOf(charge.id),
      )
      expect(openings[n]?.intent).toEqual(
        openings[n]?.clientOpen === true ? await readIntent(world, intentId) : undefined,
      )
    }
    expect(await usedAt(world, customer)).toBe(T0)
    const { rows } = await sql`select id, revision from invoices where id = any (${[billed.id, voided.id].map(
      uuidOf,
    )}::uuid[]) order by id`.execute(world.db.writer)
    expect(rows).toMatchObject([{ revision: billed.revision + 1 }, { revision: voided.revision }])
  })

  test('are no more than one statement takes', async () => {
    const intents = Array.from({ length: OPENINGS_MAX + 1 }, () => wanted(waiting()))
    await expect(openCharges(world.db.writer, intents)).rejects.toThrow(RangeError)
    expect(await openCharges(world.db.writer, [])).toEqual([])
  })

  test('do not deadlock with other statements, whatever they share', async () => {
    for (let round = 0; round < 10; round += 1) {
      const customers = await Promise.all(Array.from({ length: 8 }, () => saveCustomer(world)))
      const saveOf = (some: typeof customers) => Promise.all(some.map((customerId) => save({ customerId })))
      const shared = await saveOf(customers)
      const statements = await Promise.all(
        Array.from({ length: 8 }, async (_, n) => {
          const order = <T>(all: T[]) => (n % 2 === 0 ? all : all.toReversed())
          const intents = n < 4 ? order(shared) : await saveOf(order(customers))
          return intents.map((intent) => wanted(intent))
        }),
      )
      const results = await Promise.all(statements.map((all) => openCharges(world.db.writer, all)))
      const opened = results.flat().filter(({ charge }) => charge !== undefined)
      expect(opened).toHaveLength(5 * customers.length)
    }
  })

  test('whose requests share a key leave one after the other, and another merchant’s leaves with the first', async () => {
    const claim = claimOf()
    const theirs = await save({ merchantId: 'other' as MerchantId })
    const [first, second, other] = [
      wanted(await save(), { claim }),
      wanted(await save(), { claim }),
      wanted(theirs, { claim }),
    ]
    const { writes, statements } = countedWrites(world.db.writer)
    const openings = await Promise.all(
      [first, second, other].map((one) => openCharge(writes, world.db.writer, one)),
    )
    expect(statements).toEqual([
      { items: [first, other], ifLocked: 'skip' },
      { items: [second], ifLocked: 'skip' },
    ])
    expect(openings.map(({ charge }) => charge?.id)).toEqual([first.charge.id, undefined, other.charge.id])
  })
})
