import { afterAll, describe, expect, test } from 'vitest'
import { addItem, draftInvoice, itemCall, readInvoice } from '../../bills.ts'
import { startTestApi } from '../../harness.ts'
import { eventTypesOf } from '../../steps.ts'
import { answerToStrangers } from '../same-refusal.ts'

const api = await startTestApi()
afterAll(() => api.stop())

const deleteCall = (id: string) => ({ method: 'DELETE', path: `/v1/invoices/${id}` }) as const

describe('200', () => {
  test('a draft is deleted with its lines, without an Idempotency-Key', async () => {
    const { id } = await draftInvoice(api)
    const item = await addItem(api, id)
    const whole = (await readInvoice(api, id)).body
    const answer = await api.call(deleteCall(id))
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 200,
      body: { ...whole, deleted: true },
    })
    expect(answer).toHaveRequestId()
    expect(await readInvoice(api, id)).toBeRefusal('resource_missing')
    expect(await api.call({ path: `/v1/invoice_items/${item.id}` })).toBeRefusal('resource_missing')
    expect(await api.call(itemCall(id))).toBeRefusal('invalid_request', 'invoice')
    expect(await eventTypesOf(api, id)).toEqual(['invoice.created'])
  })

  test.each([
    [
      'a form’s type without a body, as clients of the compatible API send',
      { headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    ],
    ['a key, used before', { key: 'used' }],
    ['a body', { form: 'a=1' }],
  ])('with %s too', async (_, more) => {
    await draftInvoice(api, '', { key: 'used' }).catch(() => undefined)
    const { id } = await draftInvoice(api)
    expect(await api.call({ ...deleteCall(id), ...more })).toMatchObject({ status: 200, body: { id } })
  })

  test('while lines are added, the draft is deleted with all of them', async () => {
    const { id } = await draftInvoice(api)
    const adding = Array.from({ length: 20 }, () => api.call(itemCall(id)))
    const [deleted, ...added] = await Promise.all([api.call(deleteCall(id)), ...adding])
    expect(deleted.status).toBe(200)
    for (const answer of added) expect([200, 400]).toContain(answer.status)
    // The answer is the deleted draft: every line that was added in time, and their sum.
    const lines = added.filter(({ status }) => status === 200).map(({ body }) => body.id as string)
    const shown: { id: string }[] = deleted.body.lines.data
    expect(shown.map((line) => line.id).toSorted()).toEqual(lines.toSorted())
    expect(deleted.body.total).toBe(5000 * lines.length)
    const left = await api.db.reader
      .selectFrom('invoice_items')
      .select('id')
      .where('invoice_id', '=', id.slice(3))
      .execute()
    expect(left).toEqual([])
  })
})

describe('404', () => {
  test('a foreign, an unknown and an ill-formed id have the same answer', async () => {
    const { id } = await draftInvoice(api)
    expect(await answerToStrangers(api, id, deleteCall)).toBeRefusal('resource_missing')
    expect((await readInvoice(api, id)).status).toBe(200)
  })

  test('a second delete', async () => {
    const { id } = await draftInvoice(api)
    const answers = await Promise.all([api.call(deleteCall(id)), api.call(deleteCall(id))])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404])
  })
})
