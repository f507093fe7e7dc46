import { afterAll, describe, expect, test } from 'vitest'
import { addItem, draftInvoice } from '../../bills.ts'
import { startTestApi } from '../../harness.ts'
import { answerToStrangers } from '../same-refusal.ts'

const api = await startTestApi()
afterAll(() => api.stop())

const readCall = (id: string) => ({ path: `/v1/invoice_items/${id}` })

describe('200', () => {
  test('the item as it was created', async () => {
    const { id } = await draftInvoice(api)
    const item = await addItem(api, id, 'unit_amount=5&quantity=3&description=Rice&metadata[a]=b')
    const answer = await api.call(readCall(item.id))
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: item })
    expect(answer).toHaveRequestId()
  })
})

describe('404', () => {
  test('a foreign, an unknown and an ill-formed id have the same answer', async () => {
    const { id } = await addItem(api, (await draftInvoice(api)).id)
    expect(await answerToStrangers(api, id, readCall)).toBeRefusal('resource_missing')
  })
})
