import type { InvoiceItem } from '@merchant-payments/contract'
import { type InvoiceId, mintId, uuidOf } from '@merchant-payments/core'
import { afterAll, describe, expect, test } from 'vitest'
import { act, addItem, draftInvoice, itemCall, readInvoice } from '../../bills.ts'
import { startTestApi } from '../../harness.ts'
import { insertLargeInvoice } from '../../heavy-rows.ts'

const api = await startTestApi()
afterAll(() => api.stop())

/** docs/spec-gaps.md, invoices. */
const LINES_BYTES_MAX = 262_144

/** Metadata whose values have this total length, at most 500 characters each. */
const metadata = (chars: number): string => {
  const values = Array.from({ length: Math.ceil(chars / 500) }, (_, n) =>
    'x'.repeat(Math.min(500, chars - n * 500)),
  )
  return values.map((value, n) => `&metadata[k${n}]=${value}`).join('')
}

const bytesOf = (item: InvoiceItem) => Buffer.byteLength(JSON.stringify(item))

const linesOf = async (id: string): Promise<InvoiceItem[]> => (await readInvoice(api, id)).body.lines.data

/** The size of a line with these characters. */
async function sizeOf(chars: number): Promise<number> {
  return bytesOf(await addItem(api, (await draftInvoice(api)).id, `amount=1&description=y${metadata(chars)}`))
}

/** A draft whose lines leave this many bytes free. */
async function draftWithRoom(room: number): Promise<string> {
  const { id } = await draftInvoice(api)
  const big = await sizeOf(24_500)
  let left = LINES_BYTES_MAX - room
  for (; left >= 2 * big; left -= big) await addItem(api, id, `amount=1&description=y${metadata(24_500)}`)
  // Two lines fill the rest exactly, by the length of their descriptions.
  for (const part of [Math.floor(left / 2), Math.ceil(left / 2)]) {
    const overhead = await sizeOf(part - 1_300)
    await addItem(api, id, `amount=1&description=${'y'.repeat(1 + part - overhead)}${metadata(part - 1_300)}`)
  }
  const lines = await linesOf(id)
  expect(lines.reduce((sum, line) => sum + bytesOf(line), 0)).toBe(LINES_BYTES_MAX - room)
  return id
}

const update = (id: string, form: string) => api.call({ path: `/v1/invoice_items/${id}`, form })

describe('the lines of an invoice have at most 256 KiB of JSON together', () => {
  test('a line that fits exactly is accepted, and none after it', async () => {
    const size = await sizeOf(10)
    const id = await draftWithRoom(size)
    const line = `amount=1&description=y${metadata(10)}`
    expect(await api.call(itemCall(id, `amount=1&description=y${metadata(11)}`))).toBeRefusal(
      'invalid_request',
      'invoice',
    )
    expect(await api.call(itemCall(id, line))).toMatchObject({ status: 200 })
    const full = await api.call(itemCall(id, line))
    expect(full).toBeRefusal('invalid_request', 'invoice')
    expect(full.body.error.message).toContain('at most 262144 bytes of JSON together')
    expect(await act(api, id, 'finalize')).toMatchObject({ status: 'open' })
  })

  test('a refused line fits after another is deleted', async () => {
    const size = await sizeOf(10)
    const id = await draftWithRoom(size - 1)
    const line = `amount=1&description=y${metadata(10)}`
    expect(await api.call(itemCall(id, line))).toBeRefusal('invalid_request', 'invoice')
    const [first] = await linesOf(id)
    expect(await api.call({ method: 'DELETE', path: `/v1/invoice_items/${first?.id}` })).toMatchObject({
      status: 200,
    })
    expect(await api.call(itemCall(id, line))).toMatchObject({ status: 200 })
  })

  test('a line can grow up to the limit, and no further', async () => {
    const id = await draftWithRoom(3)
    const [line] = await linesOf(id)
    const text = line?.description ?? ''
    expect(await update(line?.id ?? '', `description=${text}zzzz`)).toBeRefusal(
      'invalid_request',
      'description',
    )
    expect(await update(line?.id ?? '', `description=${text}zzz`)).toMatchObject({ status: 200 })
    expect(await update(line?.id ?? '', 'metadata[more]=1')).toBeRefusal('invalid_request', 'metadata')
    const longerPrices = {
      amount: 'amount=-99999999',
      quantity: 'quantity=99999',
      unit_amount: 'unit_amount=99999',
    }
    for (const [param, form] of Object.entries(longerPrices))
      expect(await update(line?.id ?? '', form)).toBeRefusal('invalid_request', param)
    const moreWordsThanFreed = `description=${text}${'z'.repeat(600)}&metadata[k0]=x`
    expect(await update(line?.id ?? '', moreWordsThanFreed)).toBeRefusal('invalid_request', 'description')
    expect(await update(line?.id ?? '', 'description=a&metadata[k0]=')).toMatchObject({ status: 200 })
    expect(await update(line?.id ?? '', 'amount=-99999999')).toMatchObject({ status: 200 })
  })

  test('of lines that are added concurrently, as many as fit are accepted', async () => {
    const size = await sizeOf(10)
    const id = await draftWithRoom(2 * size)
    const calls = Array.from({ length: 6 }, () => itemCall(id, `amount=1&description=y${metadata(10)}`))
    const answers = await Promise.all(calls.map((call) => api.call(call)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
    for (const answer of answers.filter(({ status }) => status !== 200))
      expect(answer).toBeRefusal('invalid_request', 'invoice')
  })
})

describe('an invoice that exceeded the limit before it existed', () => {
  const large = async () => {
    const id = mintId('in', api.clock())
    await api.db.transact((tx) => insertLargeInvoice(tx, 'acme', uuidOf(id), 3))
    return id
  }

  test('can be finalized, written off and voided', async () => {
    const id = await large()
    for (const action of ['finalize', 'mark_uncollectible', 'void'] as const) {
      expect((await act(api, id, action)).lines.data).toHaveLength(3)
    }
  })

  test('can lose lines and text, but gain none', async () => {
    const id = await large()
    const [line] = await linesOf(id)
    expect(await api.call(itemCall(id))).toBeRefusal('invalid_request', 'invoice')
    expect(await update(line?.id ?? '', 'description=shorter')).toMatchObject({ status: 200 })
    expect(await update(line?.id ?? '', `description=${'%01'.repeat(1_000)}`)).toBeRefusal(
      'invalid_request',
      'description',
    )
  })
})

test('the database refuses growth above the limit if the code does not', async () => {
  const { id } = await draftInvoice(api)
  const grow = (bytes: number) =>
    api.db.transact((tx) =>
      tx
        .updateTable('invoices')
        .set({ item_bytes: bytes })
        .where('id', '=', uuidOf(id as InvoiceId))
        .execute(),
    )
  await grow(LINES_BYTES_MAX)
  await expect(grow(LINES_BYTES_MAX + 1)).rejects.toMatchObject({ code: '23514' })
})
