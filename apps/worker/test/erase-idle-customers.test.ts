import { eraseIdleCustomers, finishErasures, IDLE_MAX, mintId, uuidOf } from '@merchant-payments/core'
import { describe, expect, test } from 'vitest'
import { MERCHANT, movableClock, START_MS, useDatabase, workerDeps } from './harness.ts'

const database = useDatabase()
const { query } = database

const YEAR_MS = 365 * 24 * 60 * 60_000
const at = (ms: number) => new Date(START_MS + ms)

describe('the hourly erasure [§8]', () => {
  async function insertCustomer(name: string, idleMs: number): Promise<string> {
    const id = uuidOf(mintId('cus', START_MS))
    await query(
      `insert into customers (merchant_id, id, name, metadata, livemode, last_used_at)
        values ($1, $2, $3, '{"kept":"yes"}', false, $4)`,
      [MERCHANT, id, name, at(-idleMs)],
    )
    return id
  }
  const insertIntent = (customer: string) =>
    query(
      `insert into payment_intents (merchant_id, id, amount, currency, status, payment_method_types, customer_id,
          metadata, client_secret, livemode)
        values ($1, $2, 1, 'XAF', 'requires_payment_method', '{push}', $3, '{}', 's', false)`,
      [MERCHANT, uuidOf(mintId('pi', START_MS)), customer],
    )
  const names = async () => (await query('select name from customers order by name')).map(({ name }) => name)

  test('erases customers who were idle for more than 365 days, as a delete does, and no others [§6.1]', async () => {
    const { clock } = movableClock()
    const deps = workerDeps(database.db(), { clock })
    const [kept, gone] = [
      await insertCustomer('Named', YEAR_MS + 1),
      await insertCustomer('Gone', YEAR_MS + 1),
    ]
    await insertIntent(kept)
    await insertCustomer('At the limit', YEAR_MS)
    await insertCustomer('Used today', 0)

    expect(await eraseIdleCustomers(deps)).toEqual({ begun: 2, full: false })
    expect(await eraseIdleCustomers(deps)).toEqual({ begun: 0, full: false })

    expect(await names()).toEqual(['At the limit', 'Used today', '[redacted]'])
    expect(
      await query('select phone, metadata, erased_at from customers where erased_at is not null'),
    ).toEqual([{ phone: '[redacted]', metadata: { kept: 'yes' }, erased_at: at(0) }])
    const events = await query('select type, customer_id, body from events')
    expect(events.map(({ type, customer_id: id }) => [type, id])).toEqual(
      expect.arrayContaining([kept, gone].map((id) => ['customer.deleted', dashed(id)])),
    )
    expect(events).toHaveLength(2)
    for (const { body } of events)
      expect(JSON.parse(String(body)).data.object).toMatchObject({ deleted: true })
  })

  test('repeats at once if more customers are left', async () => {
    const { clock } = movableClock()
    const deps = workerDeps(database.db(), { clock })
    for (let n = 0; n <= IDLE_MAX; n += 1) await insertCustomer(`N${n}`, 2 * YEAR_MS)
    expect(await eraseIdleCustomers(deps)).toEqual({ begun: IDLE_MAX, full: true })
    expect(await eraseIdleCustomers(deps)).toEqual({ begun: 1, full: false })
    expect(await names()).toEqual([])
  })

  test('rests although more are left, while other transactions hold them all', async () => {
    const { clock } = movableClock()
    const deps = workerDeps(database.db(), { clock })
    for (let n = 0; n < IDLE_MAX; n += 1) await insertCustomer(`N${n}`, 2 * YEAR_MS)
    await database.db().transact(async (tx) => {
      await tx.selectFrom('customers').select('id').forUpdate().execute()
      expect(await eraseIdleCustomers(deps)).toEqual({ begun: 0, full: false })
    })
    expect(await eraseIdleCustomers(deps)).toEqual({ begun: IDLE_MAX, full: true })
    expect(await names()).toEqual([])
  })

  test('skips a customer whom a request is naming at that moment, without waiting', async () => {
    const { clock } = movableClock()
    const deps = workerDeps(database.db(), { clock })
    const id = await insertCustomer('Named just now', 2 * YEAR_MS)
    await database.db().transact(async (tx) => {
      await tx
        .updateTable('customers')
        .set({ last_used_at: at(0).toISOString() })
        .where('id', '=', id)
        .execute()
      expect(await eraseIdleCustomers(deps)).toEqual({ begun: 0, full: false })
    })
    expect(await eraseIdleCustomers(deps)).toEqual({ begun: 0, full: false })
    expect(await names()).toEqual(['Named just now'])
  })

  test('retries a customer who cannot be removed later, and this blocks no other', async () => {
    const { clock } = movableClock()
    const id = await insertCustomer('Held', 2 * YEAR_MS)
    await insertCustomer('Free', 2 * YEAR_MS)
    await query(
      'create table unlisted (merchant_id text collate "C", id uuid, foreign key (merchant_id, id) references customers)',
    )
    const left = "select failures, due_at > now() + interval '1 second' as rests from customer_erasures"
    try {
      await query('insert into unlisted values ($1, $2)', [MERCHANT, id])
      const deps = workerDeps(database.db(), { clock })
      expect(await eraseIdleCustomers(deps)).toEqual({ begun: 2, full: false })
      expect(await names()).toEqual(['[redacted]'])
      expect(await query(left)).toEqual([{ failures: 1, rests: false }])
      await query('update customer_erasures set failures = 4, due_at = now()')
      expect(await finishErasures(deps)).toEqual({ claimed: 1, finished: 0, full: false })
      expect(await query(left)).toEqual([{ failures: 5, rests: true }])
      expect(deps.alerts).toEqual([
        { name: 'erasure_stuck', facts: { customer: `cus_${id}`, failures: 5, reason: '23503' } },
      ])
    } finally {
      await query('drop table unlisted')
    }
    await query('update customer_erasures set due_at = now()')
    expect(await finishErasures(workerDeps(database.db(), { clock }))).toMatchObject({ finished: 1 })
    expect(await names()).toEqual([])
  })

  const dashed = (hex: string) => hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
})
