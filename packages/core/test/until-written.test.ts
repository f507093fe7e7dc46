import { inTransaction, type Session, sqlState } from '@merchant-payments/db'
import { Refusal } from '@merchant-payments/contract'
import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { type CustomerId, type PaymentIntentId, uuidOf } from '../src/base/ids.ts'
import { createSession } from '../src/checkout-sessions/create.ts'
import { answerOnce } from '../src/commit/answer-once.ts'
import { findUsedKey } from '../src/commit/answers.ts'
import { type Attempt, untilWritten } from '../src/commit/until-written.ts'
import { ACME, makeIntent, T0, wantedSession } from './make.ts'
import { afterReading, claimOf, openWorld, saveCustomer, saveIntent } from './world.ts'

const world = await openWorld()
afterAll(() => world.stop())

const revisionOf = async ({ reader }: Session, id: CustomerId) =>
  (
    await reader
      .selectFrom('customers')
      .select('revision')
      .where('id', '=', uuidOf(id))
      .executeTakeFirstOrThrow()
  ).revision

/** Another request's change. @returns the SQLSTATE if the row is held */
const changeElsewhere = (id: CustomerId | PaymentIntentId, table = sql.table('customers')) =>
  world.owner
    .transact(async (tx) => {
      await sql`select 1 from ${table} where id = ${uuidOf(id)}::uuid for update nowait`.execute(tx)
      await sql`update ${table} set revision = revision + 1 where id = ${uuidOf(id)}::uuid`.execute(tx)
      return null
    })
    .catch(sqlState)

/** A change by revision, between whose reading and writing another request always tries to change the row. */
function raced(id: CustomerId) {
  const elsewhere: (string | null)[] = []
  const attempt: Attempt<number, 'written'> = {
    read: (db) => revisionOf(db, id),
    write: async ({ writer }, revision) => {
      elsewhere.push(await changeElsewhere(id))
      const { rows } = await sql`
        update customers set revision = revision + 1
        where id = ${uuidOf(id)}::uuid and revision = ${revision} returning 1`.execute(writer)
      return rows.length > 0 ? 'written' : null
    },
  }
  return { elsewhere, attempt }
}

describe('a change that loses each race', () => {
  const LOST = [null, null, null, null]

  test('holds its row in the end, and is written', async () => {
    const id = await saveCustomer(world)
    const { attempt, elsewhere } = raced(id)
    const row = { table: 'customers', merchantId: ACME, idText: id } as const
    expect(await untilWritten(world, row, attempt)).toBe('written')
    expect(elsewhere).toEqual([...LOST, '55P03'])
    expect(await changeElsewhere(id)).toBeNull()
  })

  test('holds its row for as long as a transaction that it is a part of', async () => {
    const id = await saveCustomer(world)
    const { attempt } = raced(id)
    const row = { table: 'customers', merchantId: ACME, idText: id } as const
    await inTransaction(world.db, async (session) => {
      expect(await untilWritten({ ...world, db: session }, row, attempt)).toBe('written')
      expect(await changeElsewhere(id)).toBe('55P03')
    })
    expect(await changeElsewhere(id)).toBeNull()
  })

  test('adopts its intent in the end', async () => {
    const intent = await saveIntent(world, makeIntent('requires_payment_method'))
    const elsewhere: (string | null)[] = []
    const db = afterReading(world.db, 'has_session', async () => {
      elsewhere.push(await changeElsewhere(intent.id, sql.table('payment_intents')))
    })
    const wanted = { ...wantedSession, paymentIntent: intent.id, amountMinor: null, currency: null }
    const adopts = { ...wanted, paymentMethodTypes: null }
    expect(await createSession({ ...world, db }, claimOf(), adopts)).toMatchObject({ status: 200 })
    expect(elsewhere).toEqual([...LOST, '55P03'])
    expect(await changeElsewhere(intent.id, sql.table('payment_intents'))).toBeNull()
  })

  test('gets a new time after each read', async () => {
    const id = await saveCustomer(world)
    const { attempt } = raced(id)
    const row = { table: 'customers', merchantId: ACME, idText: id } as const
    const times: number[] = []
    world.nowMs = T0
    await untilWritten(world, row, {
      read: async (db) => {
        world.nowMs += 1_000
        return attempt.read(db)
      },
      write: (db, revision, nowMs) => {
        times.push(nowMs - T0)
        return attempt.write(db, revision, nowMs)
      },
    })
    expect(times).toEqual([1_000, 2_000, 3_000, 4_000, 5_000])
    world.nowMs = T0
  })

  test('keeps the refusal that it meets while it holds its row', async () => {
    const claim = claimOf()
    const row = { table: 'customers', idText: await saveCustomer(world) } as const
    const refusal = new Refusal('customer_erased', 'This customer was erased and cannot be changed.')
    let tries = 0
    const attempt: Attempt<null, never> = {
      read: async () => null,
      write: async () => {
        tries += 1
        if (tries > LOST.length) throw refusal
        return null
      },
    }
    const answer = answerOnce(world, claim, { ...row, ...attempt })
    await expect(answer).rejects.toBe(refusal)
    expect(await findUsedKey(world.db.reader, claim, T0)).toMatchObject({ kind: 'answered' })
  })
})
