import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { type MerchantId, mintId, type PaymentIntentId } from '../src/base/ids.ts'
import { findEventBody } from '../src/events/store.ts'
import { findInvoice } from '../src/invoices/store.ts'
import { findIntent } from '../src/payment-intents/store.ts'
import { newIntents } from '../src/payment-intents/insertions.ts'
import { ROWS_MAX } from '../src/commit/read-together.ts'
import { statementsOf } from './explain.ts'
import { ACME, makeIntent, T0 } from './make.ts'
import { claimOf, openWorld, type World } from './world.ts'

const GLOBEX = 'globex' as MerchantId

const world = await openWorld()
afterAll(() => world.stop())

async function storedIntent(merchantId = ACME): Promise<PaymentIntentId> {
  const id = mintId('pi', T0)
  const intent = makeIntent('requires_payment_method', { id, merchantId, revision: 0 })
  const answer = { status: 201, body: '{}', shouldRetry: null }
  const claim = { ...claimOf(), merchantId }
  await newIntents.write(world.db.writer, [{ claim, intent, answer, nowMs: T0 }], 'wait')
  return id
}

describe('reads of one row that arrive together', () => {
  test('share a statement, and each has its own row: of its merchant, missing, or of a disabled client', async () => {
    const [mine, other, theirs] = [await storedIntent(), await storedIntent(), await storedIntent(GLOBEX)]
    await sql`insert into disabled_clients (client_id, reason) values ('shut', 'test')`.execute(
      world.db.writer,
    )
    const missing = mintId('pi', T0)
    const statements = await statementsOf(world, async ({ reader }) => {
      const read = async (merchantId: MerchantId, id: PaymentIntentId) => {
        const { open, found } = await findIntent(reader, merchantId, id)
        return [open, found?.merchantId, found?.id]
      }
      const none = [undefined, undefined]
      expect(
        await Promise.all([
          read(ACME, mine),
          read(GLOBEX, mine),
          read(ACME, missing),
          read(GLOBEX, theirs),
          read('shut' as MerchantId, mine),
          read(ACME, other),
          read(ACME, mine),
        ]),
      ).toEqual([
        [true, ACME, mine],
        [true, ...none],
        [true, ...none],
        [true, GLOBEX, theirs],
        [false, ...none],
        [true, ACME, other],
        [true, ACME, mine],
      ])
    })
    expect(statements).toHaveLength(1)
  })

  test('are as many in a statement as it may read, and a single one has the statement of one key', async () => {
    const id = await storedIntent()
    const statements = await statementsOf(world, async ({ reader }) => {
      await Promise.all(Array.from({ length: ROWS_MAX + 1 }, () => findIntent(reader, ACME, id)))
    })
    expect(statements.map(({ sql: text }) => text.includes('unnest'))).toEqual([true, false])
  })

  test('have a statement each if a row can be large: an event and an invoice', async () => {
    const statements = await statementsOf(world, async ({ reader }) => {
      await Promise.all([
        findEventBody(reader, ACME, mintId('evt', T0)),
        findEventBody(reader, ACME, mintId('evt', T0)),
        findInvoice(reader, ACME, mintId('in', T0)),
        findInvoice(reader, ACME, mintId('in', T0)),
      ])
    })
    expect(statements).toHaveLength(4)
  })

  test('have a statement each in a transaction, which sees its own writes', async () => {
    const id = await storedIntent()
    await world.db.transact(async (tx) => {
      await sql`update payment_intents set description = 'changed' where merchant_id = ${ACME}`.execute(tx)
      const [inside, outside] = await Promise.all([
        findIntent(tx as unknown as World['db']['reader'], ACME, id),
        findIntent(world.db.reader, ACME, id),
      ])
      expect(inside.found?.description).toBe('changed')
      expect(outside.found?.description).not.toBe('changed')
    })
  })
})
