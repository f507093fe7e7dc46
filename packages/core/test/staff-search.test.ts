import { Refusal } from '@merchant-payments/contract'
import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { idOf, uuidFloorOf } from '../src/base/ids.ts'
import { renderTotals } from '../src/pages/staff/totals-store.ts'
import { listIntentRows, totalIntents } from '../src/payment-intents/staff/store.ts'
import { anyIntent, T0 } from './make.ts'
import { openWorld } from './world.ts'

/** A payment each second, of the merchants in turn. More than a search looks through. */
const PAYMENTS = 10_500
const MERCHANTS = 50
/** Places of the payments with another amount, from the newest. */
const RARE = [1, 9_999, 10_001]

const page = { limit: 10, startingAfter: null, endingBefore: null, merchantId: null, created: null } as const
const rare = { ...anyIntent, amount: { fromMinor: 7, toMinor: 7 } }
const none = { ...anyIntent, amount: { fromMinor: 8, toMinor: 8 } }
const secondOf = (place: number) => Math.floor(T0 / 1_000) - place
const idAt = (place: number) => idOf('pi', uuidFloorOf(secondOf(place) * 1_000))

const world = await openWorld()
const placeOf = sql`lpad(to_hex((${Math.floor(T0 / 1_000)}::bigint - n) * 1000), 12, '0') || repeat('0', 20)`
await sql`
  insert into payment_intents (merchant_id, id, amount, currency, status, payment_method_types, metadata, client_secret, livemode)
  select 'm' || n % ${MERCHANTS}, (${placeOf})::uuid, case when n = any (${RARE}::integer[]) then 7 else 1000 end, 'XAF',
    'requires_payment_method', '{push}', '{}', 'secret', false
  from generate_series(1, ${PAYMENTS}) n`.execute(world.owner.writer)
afterAll(() => world.stop())

const idsOf = async (...args: [filter: typeof anyIntent | typeof rare, wanted?: object]) => {
  const { items, hasMore } = await listIntentRows(world.db.reader, { ...page, ...args[1] }, args[0])
  return { ids: items.map(({ id }) => idOf('pi', id)), hasMore }
}

describe('a list of all merchants, by a filter that no index serves', () => {
  test('has the rows that fit among the newest 10 000, and says that there may be more', async () => {
    expect(await idsOf(rare)).toEqual({ ids: [idAt(1), idAt(9_999)], hasMore: true })
  })

  test('continues behind its last row', async () => {
    expect(await idsOf(rare, { startingAfter: idAt(9_999) })).toEqual({
      ids: [idAt(10_001)],
      hasMore: false,
    })
    expect(await idsOf(rare, { endingBefore: idAt(10_001) })).toEqual({
      ids: [idAt(1), idAt(9_999)],
      hasMore: false,
    })
  })

  test('asks for a shorter time if none of these rows fits', async () => {
    await expect(idsOf(none)).rejects.toThrow(Refusal)
    const created = { fromSec: secondOf(500), untilSec: secondOf(0) }
    expect(await idsOf(none, { created })).toEqual({ ids: [], hasMore: false })
    expect(await idsOf(rare, { created })).toEqual({ ids: [idAt(1)], hasMore: false })
  })

  test('shows each row once, in the order of time, without a filter', async () => {
    const first = await idsOf(anyIntent)
    const second = await idsOf(anyIntent, { startingAfter: idAt(10) })
    expect([...first.ids, ...second.ids]).toEqual(Array.from({ length: 20 }, (_, n) => idAt(n + 1)))
    expect(first.hasMore).toBe(true)
  })
})

test('a total asks for a shorter time too, rather than leave rows out', async () => {
  const totalOf = async (filter: typeof anyIntent | typeof rare, wanted: object = {}) =>
    renderTotals(await totalIntents(world.db.reader, { ...page, ...wanted }, filter))
  await expect(totalOf(rare)).rejects.toThrow(Refusal)
  expect(await totalOf(rare, { created: { fromSec: secondOf(9_999), untilSec: secondOf(0) } })).toMatchObject(
    {
      count: 2,
      is_more: false,
      sums: [{ currency: 'XAF', amount: 14 }],
    },
  )
  expect(await totalOf(anyIntent)).toMatchObject({ count: 10_000, is_more: true, sums: [] })
})
