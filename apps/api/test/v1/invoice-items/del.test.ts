import { afterAll, describe, expect, test } from 'vitest'
import { addItem, draftInvoice, readInvoice } from '../../bills.ts'
import { startTestApi } from '../../harness.ts'
import { answerToStrangers } from '../same-refusal.ts'

const api = await startTestApi()
afterAll(() => api.stop())

const deleteCall = (id: string) => ({ method: 'DELETE', path: `/v1/invoice_items/${id}` }) as const

describe('200', () => {
  test('the line is deleted, and the total is reduced', async () => {
    const { id: invoice } = await draftInvoice(api)
    const [kept, gone] = [await addItem(api, invoice), await addItem(api, invoice, 'amount=-99')]
    const answer = await api.call(deleteCall(gone.id))
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 200,
      body: { ...gone, deleted: true },
    })
    expect(answer).toHaveRequestId()
    expect(await api.call({ path: `/v1/invoice_items/${gone.id}` })).toBeRefusal('resource_missing')
    expect((await readInvoice(api, invoice)).body).toMatchObject({ total: 5000, lines: { data: [kept] } })
  })

  test('many concurrent deletes remove it once', async () => {
    const { id: invoice } = await draftInvoice(api)
    const { id } = await addItem(api, invoice)
    await addItem(api, invoice, 'amount=7')
    const answers = await Promise.all(Array.from({ length: 10 }, () => api.call(deleteCall(id))))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200,
      ...Array.from({ length: 9 }, () => 404),
    ])
    expect((await readInvoice(api, invoice)).body).toMatchObject({ total: 7 })
  })
})

describe('404', () => {
  test('a foreign, an unknown and an ill-formed id have the same answer', async () => {
    const { id } = await addItem(api, (await draftInvoice(api)).id)
    expect(await answerToStrangers(api, id, deleteCall)).toBeRefusal('resource_missing')
    expect((await api.call({ path: `/v1/invoice_items/${id}` })).status).toBe(200)
  })
})
