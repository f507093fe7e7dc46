import { type Kysely, sql, type Transaction, type Updateable } from 'kysely'
import { expectTypeOf, test } from 'vitest'
import type { Database, Reader, Session, Tx, Writer } from './database.ts'
import type { Schema } from './schema.ts'

declare const tx: Tx
declare const reader: Reader
declare const db: Database

/** The columns that an update may set. */
type Settable<Table extends keyof Schema> = keyof Updateable<Schema[Table]>

test('no update can be given a status: its one writer sets it, in SQL', () => {
  expectTypeOf<Extract<Settable<'payment_intents'>, 'status'>>().toBeNever()
  expectTypeOf<Extract<Settable<'charges'>, 'status'>>().toBeNever()
  expectTypeOf<Extract<Settable<'refunds'>, 'status' | 'instruction'>>().toBeNever()
  expectTypeOf<Extract<Settable<'payment_intents'>, 'refund_reserved'>>().toBeNever()
  expectTypeOf<Extract<Settable<'deliveries'>, 'status'>>().toBeNever()
  expectTypeOf<Extract<Settable<'checkout_sessions'>, 'status' | 'payment_status'>>().toBeNever()
  expectTypeOf<Extract<Settable<'events'>, 'fanout_state'>>().toBeNever()
  expectTypeOf<Extract<Settable<'charges'>, 'rail_txn_id'>>().not.toBeNever()

  // As an object.
  // @ts-expect-error
  tx.updateTable('payment_intents').set({ status: 'succeeded' })
  // @ts-expect-error
  tx.updateTable('charges').set({ status: 'succeeded' })
  // @ts-expect-error
  tx.updateTable('deliveries').set({ status: 'succeeded' })
  // @ts-expect-error
  tx.updateTable('events').set({ fanout_state: 'done' })

  // As a column and a value.
  // @ts-expect-error
  tx.updateTable('payment_intents').set('status', 'succeeded')
  // @ts-expect-error
  tx.updateTable('charges').set('status', 'succeeded')
  // @ts-expect-error
  tx.updateTable('deliveries').set('status', 'succeeded')
  // @ts-expect-error
  tx.updateTable('events').set('fanout_state', 'done')

  // As an expression.
  // @ts-expect-error
  tx.updateTable('payment_intents').set((eb) => ({ status: eb.val('succeeded') }))
  // @ts-expect-error
  tx.updateTable('charges').set((eb) => ({ status: eb.val('succeeded') }))
  // @ts-expect-error
  tx.updateTable('deliveries').set((eb) => ({ status: eb.val('succeeded') }))
  // @ts-expect-error
  tx.updateTable('events').set((eb) => ({ fanout_state: eb.val('done') }))

  // As an insert that conflicts with an existing row.
  tx.insertInto('charges').onConflict((conflict) =>
    // @ts-expect-error
    conflict.doUpdateSet({ status: 'succeeded' }),
  )
})

test('a row begins in the first state of its lifecycle', () => {
  type Initial<Table extends keyof Schema> = Schema[Table] extends { status: { __insert__: infer S } }
    ? S
    : never
  expectTypeOf<Initial<'payment_intents'>>().toEqualTypeOf<'requires_payment_method'>()
  expectTypeOf<Initial<'charges'>>().toEqualTypeOf<'submitting'>()
  expectTypeOf<Initial<'deliveries'>>().toEqualTypeOf<'pending'>()
  expectTypeOf<Initial<'checkout_sessions'>>().toEqualTypeOf<'open'>()

  const delivery = { merchant_id: 'm', event_id: 'e', endpoint_id: 'h', id: 'd', attempts: 0, created_at: '' }
  tx.insertInto('deliveries').values({ ...delivery, status: 'pending' })
  // @ts-expect-error
  tx.insertInto('deliveries').values({ ...delivery, status: 'succeeded' })
  // @ts-expect-error
  tx.insertInto('events').values({ fanout_state: 'done' })
})

test('a reader reads, and cannot write', () => {
  expectTypeOf<Reader>().not.toExtend<Writer>()
  expectTypeOf<Reader>().not.toExtend<Tx>()
  expectTypeOf(reader.selectFrom('charges').select('reference').executeTakeFirstOrThrow()).toEqualTypeOf<
    Promise<{ reference: string }>
  >()
  // @ts-expect-error
  reader.insertInto('spent_jtis').values({ jti: '', expires_at: '' })
  // @ts-expect-error
  reader.updateTable('charge_jobs').set({ rung: 1 })
  // @ts-expect-error
  reader.deleteFrom('charges').where('id', '=', '')
  // @ts-expect-error
  void sql`delete from charges`.execute(reader)
})

test('a transaction is made by transact alone', () => {
  expectTypeOf<Transaction<Schema>>().not.toExtend<Tx>()
  expectTypeOf<Kysely<Schema>>().not.toExtend<Tx>()
  expectTypeOf<Writer>().not.toExtend<Tx>()
  expectTypeOf<Parameters<Parameters<Database['transact']>[0]>>().toEqualTypeOf<[tx: Tx]>()
})

test('a statement of its own is run by the writer, and a part of a transaction by its Tx', () => {
  expectTypeOf<Tx>().toExtend<Writer>()
  void sql`select 1`.execute(db.writer)
  // @ts-expect-error a writer builds no queries: what it runs is written by hand
  db.writer.selectFrom('charges')
})

test('what runs within a transaction opens no other one, and does not close the database', () => {
  expectTypeOf<Database>().toExtend<Session>()
  expectTypeOf<Session>().not.toExtend<Database>()
  expectTypeOf<keyof Session>().toEqualTypeOf<'reader' | 'writer'>()
})
