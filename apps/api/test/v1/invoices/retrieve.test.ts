import { afterAll, describe, expect, test } from 'vitest'
import { addItem, draftInvoice, readInvoice } from '../../bills.ts'
import { startTestApi } from '../../harness.ts'
import { answerToStrangers } from '../same-refusal.ts'

const api = await startTestApi()
afterAll(() => api.stop())

describe('200', () => {
  test('the invoice as it was created, with its lines in the order of their creation [§2.6]', async () => {
    const draft = await draftInvoice(api, '&description=May')
    const items = []
    for (const amount of [5000, -1500, 3]) items.push(await addItem(api, draft.id, `amount=${amount}`))
    const answer = await readInvoice(api, draft.id)
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 200,
      body: {
        ...draft,
        subtotal: 3503,
        total: 3503,
        amount_due: 3503,
        amount_remaining: 3503,
        lines: { ...draft.lines, data: items },
      },
    })
    expect(answer).toHaveRequestId()
  })

  test('credits above the charges give a negative total, and nothing is due', async () => {
    const draft = await draftInvoice(api)
    await addItem(api, draft.id, 'amount=-700')
    expect((await readInvoice(api, draft.id)).body).toMatchObject({
      subtotal: -700,
      total: -700,
      amount_due: 0,
      amount_remaining: 0,
    })
  })
})

describe('404', () => {
  test('a foreign, an unknown and an ill-formed id have the same answer', async () => {
    const { id } = await draftInvoice(api)
    expect(await answerToStrangers(api, id, (strange) => ({ path: `/v1/invoices/${strange}` }))).toBeRefusal(
      'resource_missing',
    )
  })

  test('the path of the lines, and the search of the compatible API, are unknown routes', async () => {
    const { id } = await draftInvoice(api)
    expect(await api.call({ path: `/v1/invoices/${id}/lines` })).toBeRefusal('unknown_route')
    expect(await api.call({ path: '/v1/invoices/search' })).toBeRefusal('unknown_route')
  })
})
