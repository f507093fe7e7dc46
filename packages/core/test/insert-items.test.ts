import { INVOICE_LINES_BYTES_MAX, INVOICE_LINES_MAX } from '@merchant-payments/contract'
import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { type MerchantId, mintId, uuidOf } from '../src/base/ids.ts'
import { batchWrites } from '../src/commit/writes.ts'
import type { Invoice } from '../src/invoices/invoice.ts'
import { createInvoiceItem } from '../src/invoices/item-commands.ts'
import { findHeading, findItem, insertItems, type NewItem, newItems } from '../src/invoices/item-store.ts'
import { findInvoice } from '../src/invoices/store.ts'
import { makeInvoice, T0 } from './make.ts'
import { claimOf, hold, openWorld, readKey, saveInvoice } from './world.ts'

const OTHER = 'globex' as MerchantId
const COUNT = 64
const BYTES = 300

const world = await openWorld()
afterAll(() => world.stop())

const saveDraft = () =>
  saveInvoice(world, makeInvoice('draft', { number: null, totalMinor: 0, lineCount: 0 }))

async function newItem(
  { merchantId, id }: Pick<Invoice, 'merchantId' | 'id'>,
  fields: Partial<NewItem['item']> = {},
): Promise<NewItem> {
  const { found } = await findHeading(world.db.reader, merchantId, id)
  if (found === undefined) throw new Error('no such invoice')
  const item = {
    id: mintId('ii', T0),
    amountMinor: 30,
    unitAmountMinor: 10,
    quantity: 3,
    description: 'Ndolé « n° 7 » \\ "8" \u2028',
    metadata: { order: '{"a":1}', empty: '' },
    bytes: BYTES,
    revision: 0,
    ...fields,
  }
  const claim = { ...claimOf(), merchantId }
  const answer = { status: 200, body: `{"id":"${item.id}"}`, shouldRetry: null }
  return { claim, item, invoice: found, answer, nowMs: T0 }
}

const insert = (items: readonly NewItem[]) => insertItems(world.db.writer, items, 'wait')
const read = async ({ claim, item }: NewItem) =>
  (await findItem(world.db.reader, claim.merchantId, item.id)).found?.item

describe('the lines of several requests', () => {
  test('are written whole, with their answers, and counted by their invoices', async () => {
    const drafts = await Promise.all(Array.from({ length: COUNT }, saveDraft))
    const items = await Promise.all(
      drafts.map((draft, n) => newItem(draft, { amountMinor: n + 1, unitAmountMinor: n + 1, quantity: 1 })),
    )
    expect(new Set(await insert(items))).toEqual(new Set([true]))
    for (const [n, made] of items.entries()) {
      expect(await read(made)).toEqual(made.item)
      expect(await readKey(world, made.claim)).toMatchObject({ status: 200, body: made.answer.body })
      const { found } = await findInvoice(world.db.reader, made.claim.merchantId, made.invoice.id)
      expect(found?.invoice).toMatchObject({ totalMinor: n + 1, lineCount: 1 })
    }
    const [first, one] = items
    await expect(insert([...items, first, one] as NewItem[])).rejects.toThrow(RangeError)
  })

  test('are decided separately: a taken key, an invoice that is final or has no room', async () => {
    const set = (fields: string, { id }: Pick<Invoice, 'id'>) =>
      sql`update invoices set ${sql.raw(fields)} where id = ${uuidOf(id)}::uuid`.execute(world.db.writer)
    const first = await newItem(await saveDraft())
    expect(await insert([first])).toEqual([true])
    const taken = { ...(await newItem(await saveDraft())), claim: first.claim }
    const [full, heavy] = [await saveDraft(), await saveDraft()]
    await set(`line_count = ${INVOICE_LINES_MAX}`, full)
    await set(`item_bytes = ${INVOICE_LINES_BYTES_MAX - BYTES}`, heavy)
    const foreign = await newItem(await saveDraft())
    const items = {
      taken,
      final: await newItem(await saveInvoice(world, makeInvoice('open'))),
      full: await newItem(full),
      'of another merchant': { ...foreign, invoice: { ...foreign.invoice, merchantId: OTHER } },
      'one byte too large': await newItem(heavy, { bytes: BYTES + 1 }),
      good: await newItem(await saveDraft()),
    }
    const ends = await insert(Object.values(items))
    expect(Object.fromEntries(Object.keys(items).map((name, n) => [name, ends[n]]))).toEqual({
      taken: false,
      final: false,
      full: false,
      'of another merchant': false,
      'one byte too large': false,
      good: true,
    })
    expect(await read(taken)).toBeUndefined()
    expect(await insert([await newItem(heavy)])).toEqual([true])
  })

  test('that the database refuses fail alone', async () => {
    const { together } = batchWrites(world.db.writer)
    const items = await Promise.all(
      [{}, { description: 'a\u0000b' }, {}].map(async (fields) => newItem(await saveDraft(), fields)),
    )
    const ends = await Promise.allSettled(items.map((one) => together(newItems, one)))
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })

  test('wait alone for an invoice that another transaction holds', async () => {
    const [held, other] = [await saveDraft(), await saveDraft()]
    const free = await hold(world, sql`select 1 from invoices where id = ${uuidOf(held.id)}::uuid for update`)
    const add = ({ id }: typeof held) =>
      createInvoiceItem(world, claimOf(), {
        invoice: id,
        customer: null,
        currency: undefined,
        description: null,
        metadata: {},
        amountMinor: 10,
        unitAmountMinor: undefined,
        quantity: undefined,
      })
    let ended = false
    const waits = add(held).then((answer) => {
      ended = true
      return answer
    })
    expect(await add(other)).toMatchObject({ status: 200, replayed: false })
    expect(ended).toBe(false)
    await free()
    expect(await waits).toMatchObject({ status: 200, replayed: false })
  })
})
