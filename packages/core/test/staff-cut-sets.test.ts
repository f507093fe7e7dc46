import { Refusal } from '@merchant-payments/contract'
import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { idOf, uuidFloorOf } from '../src/base/ids.ts'
import type { Msisdn } from '../src/base/phone.ts'
import { renderTotals } from '../src/pages/staff/totals-store.ts'
import type { StaffPage } from '../src/pages/staff/page.ts'
import { type IntentFilter, listIntentRows, totalIntents } from '../src/payment-intents/staff/store.ts'
import { anyIntent, T0 } from './make.ts'
import { openWorld } from './world.ts'

/** A payment each second, all of one customer, one payer and one value. More than an index gives. */
const PAYMENTS = 10_500
const CUSTOMER = idOf('cus', '0198c000000070008000000000000001')
/** The place, from the newest, of the one payment with another amount. */
const RARE = 10_400

const page: StaffPage = {
  limit: 10,
  startingAfter: null,
  endingBefore: null,
  merchantId: null,
  created: null,
}
const secondOf = (place: number) => Math.floor(T0 / 1_000) - place
const idAt = (place: number) => idOf('pi', uuidFloorOf(secondOf(place) * 1_000))
const minuteFrom = (place: number) => ({
  created: { fromSec: secondOf(place + 59), untilSec: secondOf(place) + 1 },
})

const filters: Readonly<Record<string, Partial<IntentFilter>>> = {
  customer: { customerId: CUSTOMER },
  'value of metadata': { metadata: { key: 'channel', value: 'till' } },
  payer: { phone: '237670000001' as Msisdn },
  'duplicate charge': { charge: 'duplicate' },
}

const world = await openWorld()
const uuidOfRow = sql`(lpad(to_hex((${Math.floor(T0 / 1_000)}::bigint - n) * 1000), 12, '0') || repeat('0', 20))::uuid`
const rows = sql`generate_series(1, ${PAYMENTS}) n`
const amount = sql`case n when ${RARE} then 7 else 1000 end`
const customer = sql`${CUSTOMER.slice('cus_'.length)}::uuid`
await sql`
  insert into customers (merchant_id, id, name, metadata, livemode, last_used_at)
  values ('m1', ${customer}, 'Till', '{}', false, now())`.execute(world.owner.writer)
await sql`
  insert into payment_intents
    (merchant_id, id, amount, currency, status, payment_method_types, metadata, client_secret, livemode, customer_id)
  select 'm1', ${uuidOfRow}, ${amount}, 'XAF', 'requires_payment_method', '{push}',
    '{"channel":"till"}', 'secret', false, ${customer}
  from ${rows}`.execute(world.owner.writer)
// Each charge is a millisecond younger than its payment.
await sql`
  insert into charges
    (merchant_id, id, payment_intent_id, rail, status, amount, currency, payer_msisdn, reference, rail_txn_id, opened_at, submit_deadline, settled_at)
  select 'm1', replace(${uuidOfRow}::text, '-0000-0000', '-0001-0000')::uuid, ${uuidOfRow}, 'push', 'duplicate', ${amount}, 'XAF', '237670000001', 'ref-' || n,
    'txn-' || n, now(), now(), now()
  from ${rows}`.execute(world.owner.writer)
afterAll(() => world.stop())

const totalOf = async (filter: Partial<IntentFilter>, wanted: Partial<StaffPage> = {}) =>
  renderTotals(await totalIntents(world.db.reader, { ...page, ...wanted }, { ...anyIntent, ...filter }))
const pageOf = async (filter: Partial<IntentFilter>, wanted: Partial<StaffPage> = {}) => {
  const { items, hasMore } = await listIntentRows(
    world.db.reader,
    { ...page, ...wanted },
    { ...anyIntent, ...filter },
  )
  return { ids: items.map(({ id }) => idOf('pi', id)), hasMore }
}
const placesFrom = (place: number) => Array.from({ length: page.limit }, (_, n) => idAt(place + n))
const rare = { amount: { fromMinor: 7, toMinor: 7 } }

describe.each(Object.entries(filters))('of more than 10 000 payments by %s', (_, filter) => {
  test('no total leaves any out in silence', async () => {
    expect(await totalOf(filter)).toMatchObject({ count: 10_000, is_more: true, sums: [] })
    await expect(totalOf({ ...filter, ...rare })).rejects.toThrow(Refusal)
  })

  test('the total of any minute has them all', async () => {
    for (const place of [1, 5_000, RARE]) {
      expect(await totalOf(filter, minuteFrom(place))).toMatchObject({ count: 60, is_more: false })
    }
    expect(await totalOf({ ...filter, ...rare }, minuteFrom(RARE))).toMatchObject({
      count: 1,
      sums: [{ currency: 'XAF', amount: 7 }],
    })
  })

  test('a list has each in the order of time, from either end', async () => {
    expect(await pageOf(filter)).toEqual({ ids: placesFrom(1), hasMore: true })
    expect(await pageOf(filter, { startingAfter: idAt(9_995) })).toEqual({
      ids: placesFrom(9_996),
      hasMore: true,
    })
    const last = await pageOf(filter, { endingBefore: idOf('pi', '0'.repeat(32)) })
    expect(last).toEqual({ ids: placesFrom(PAYMENTS - page.limit + 1), hasMore: true })
    expect(await pageOf(filter, minuteFrom(RARE))).toEqual({ ids: placesFrom(RARE), hasMore: true })
  })

  test('a list that was not searched to its end asks for a shorter time', async () => {
    await expect(pageOf({ ...filter, ...rare })).rejects.toThrow(Refusal)
    expect(await pageOf({ ...filter, ...rare }, minuteFrom(RARE))).toEqual({
      ids: [idAt(RARE)],
      hasMore: false,
    })
  })
})
