import { type InvoiceId, mintId, uuidOf } from '@merchant-payments/core'
import { afterAll, describe, expect, test } from 'vitest'
import { startStaffApi } from './dash/staff.ts'
import type { TestAnswer } from './harness.ts'
import { heavyMakers, insertLargeInvoice } from './heavy-rows.ts'
import { operations } from './v1/operations.ts'
import { insertRefundsOf, rowMakers } from './v1/row-makers.ts'

const PAGE_BYTES_MAX = 262_144
/** The largest size of a heavy row. */
const ROW_BYTES_MAX = 100_000
const ROWS = 24
const FIRST_MS = 1_700_000_000_000

const api = await startStaffApi()
const vera = await api.signInAs('vera')
afterAll(() => api.stop())

const lists = operations.filter(({ id }) => id.endsWith('.list')).map(({ id, path }) => [id, path] as const)

/** Two of three rows are heavy. Oldest first. */
async function insertRows(id: string, merchant: string, insert = rowMakers[id]?.insert): Promise<string[]> {
  const [maker, makeHeavy] = [rowMakers[id], heavyMakers[id]]
  if (maker === undefined || makeHeavy === undefined || insert === undefined)
    throw new Error(`nothing makes heavy rows of ${id} yet`)
  const ids = Array.from({ length: ROWS }, (_, n) => mintId(maker.prefix, FIRST_MS + n))
  const uuids = ids.map((one) => uuidOf(one))
  await api.db.transact(async (tx) => {
    await insert(tx, merchant, uuids)
    await makeHeavy(
      tx,
      uuids.filter((_, n) => n % 3 !== 0),
    )
  })
  return ids
}

type Get = (query: string) => Promise<TestAnswer>
type Direction = 'starting_after' | 'ending_before'

const merchantGet =
  (path: string, merchant: string): Get =>
  (query) =>
    api.call({ path: `${path}?${query}`, merchant })

/** All rows in page order. Each page but the last is as full as possible. */
async function walk(get: Get, direction: Direction, first: string | null): Promise<string[]> {
  const seen: string[] = []
  for (let cursor = first; ; cursor = seen.at(-1) ?? null) {
    const { status, text, body } = await get(`limit=100${cursor === null ? '' : `&${direction}=${cursor}`}`)
    expect(status).toBe(200)
    const ids: string[] = body.data.map(({ id }: { id: string }) => id)
    seen.push(...(direction === 'starting_after' ? ids : ids.toReversed()))
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(PAGE_BYTES_MAX)
    if (!body.has_more) return seen
    expect(Buffer.byteLength(text)).toBeGreaterThan(PAGE_BYTES_MAX - ROW_BYTES_MAX)
  }
}

const prefixOf = ([id = '']: readonly string[]) => id.replace(/_.*/, '')

/** A cursor before every other row of its kind. */
const oldest = (prefix: string) => `${prefix}_${'0'.repeat(12)}70008${'0'.repeat(15)}`

/** Reads the whole list both ways, and reports whether bytes limit its first page. */
async function readBothWays(get: Get, prefix: string) {
  const { body } = await get('limit=100')
  return {
    fromNewest: await walk(get, 'starting_after', null),
    fromOldest: await walk(get, 'ending_before', oldest(prefix)),
    isCut: body.data.length < ROWS && body.has_more,
  }
}

const bothWays = (ids: readonly string[]) => ({ fromNewest: ids.toReversed(), fromOldest: ids, isCut: true })

describe('a page ends before its answer exceeds 256 KiB, and the next one continues there [§2.1]:', () => {
  test.each(lists)('%s', async (id, path) => {
    const ids = await insertRows(id, id)
    expect(await readBothWays(merchantGet(path, id), prefixOf(ids))).toEqual(bothWays(ids))
  })

  test('events.list, filtered by types', async () => {
    const ids = await insertRows('events.list', 'types')
    const types = 'type=payment_intent.*'
    expect(
      await readBothWays(
        (query) => api.call({ path: `/v1/events?${types}&${query}`, merchant: 'types' }),
        prefixOf(ids),
      ),
    ).toEqual(bothWays(ids))
  })

  test.each(lists.filter(([id]) => ['paymentIntents.list', 'customers.list', 'refunds.list'].includes(id)))(
    'dash.%s',
    async (id, path) => {
      const merchant = `dash.${id}`
      const ids = await insertRows(id, merchant)
      expect(
        await readBothWays(
          (query) => vera.get(`${path.replace('/v1', '')}?merchant=${merchant}&${query}`),
          prefixOf(ids),
        ),
      ).toEqual(bothWays(ids))
    },
  )

  test('dash.invoices.list, which has no lines', async () => {
    const ids = await insertRows('invoices.list', 'dash.invoices')
    expect(
      await readBothWays((query) => vera.get(`/invoices?merchant=dash.invoices&${query}`), prefixOf(ids)),
    ).toEqual(bothWays(ids))
  })
})

test('the list’s own JSON also counts', async () => {
  const ids = [0, 1].map((n) => mintId('evt', FIRST_MS + n))
  const bytesOfEach = (PAGE_BYTES_MAX - 10) / 2
  await api.db.transact(async (tx) => {
    await rowMakers['events.list']?.insert(
      tx,
      'exact',
      ids.map((id) => uuidOf(id)),
    )
    for (const id of ids) {
      const body = JSON.stringify({ id, object: '' }).replace(/""}$/, '"')
      const padded = `${body.padEnd(bytesOfEach - 2, 'x')}"}`
      await tx.updateTable('events').set({ body: padded }).where('id', '=', uuidOf(id)).execute()
    }
  })
  const { text, body } = await api.call({ path: '/v1/events', merchant: 'exact' })
  expect(body.data.map(({ id }: { id: string }) => id)).toEqual([ids[1]])
  expect(body.has_more).toBe(true)
  expect(text.length).toBeLessThan(PAGE_BYTES_MAX)
})

test('a row larger than a page is a page of its own, in both directions', async () => {
  const merchant = 'large'
  const [older, large, newer] = [0, 1, 2].map((n) => mintId('in', FIRST_MS + n)) as [
    InvoiceId,
    InvoiceId,
    InvoiceId,
  ]
  await api.db.transact(async (tx) => {
    const small = [older, newer].map((id) => uuidOf(id))
    await rowMakers['invoices.list']?.insert(tx, merchant, small)
    await insertLargeInvoice(tx, merchant, uuidOf(large), 8)
  })
  const page = async (query: string) => {
    const { text, body } = await merchantGet('/v1/invoices', merchant)(`limit=100${query}`)
    return {
      ids: body.data.map(({ id }: { id: string }) => id),
      more: body.has_more,
      isLarge: Buffer.byteLength(text) > PAGE_BYTES_MAX,
    }
  }
  expect(await page('')).toEqual({ ids: [newer], more: true, isLarge: false })
  expect(await page(`&starting_after=${newer}`)).toEqual({ ids: [large], more: true, isLarge: true })
  expect(await page(`&starting_after=${large}`)).toEqual({ ids: [older], more: false, isLarge: false })
  expect(await page(`&ending_before=${oldest('in')}`)).toEqual({ ids: [older], more: true, isLarge: false })
  expect(await page(`&ending_before=${older}`)).toEqual({ ids: [large], more: true, isLarge: true })
  expect(await page(`&ending_before=${large}`)).toEqual({ ids: [newer], more: false, isLarge: false })
})

test('staff see the newest refunds of a payment, as many as fit into 256 KiB', async () => {
  const intent = mintId('pi', FIRST_MS)
  const ids = await insertRows('refunds.list', 'refunded', (tx, merchant, uuids) =>
    insertRefundsOf(tx, merchant, uuidOf(intent), uuids),
  )
  const { status, text, body } = await vera.get(`/payment_intents/${intent}`)
  expect(status).toBe(200)
  const shown: string[] = body.refunds.map(({ id }: { id: string }) => id)
  expect(shown.length).toBeLessThan(ids.length)
  expect(shown).toEqual(ids.toReversed().slice(0, shown.length))
  expect(body.has_more_refunds).toBe(true)
  expect(Buffer.byteLength(text)).toBeGreaterThan(PAGE_BYTES_MAX - ROW_BYTES_MAX)
  expect(Buffer.byteLength(text)).toBeLessThan(PAGE_BYTES_MAX + ROW_BYTES_MAX)
})
