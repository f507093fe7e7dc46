import { afterAll, describe, expect, test } from 'vitest'
import { actionCall, chargeInvoice, openInvoice, readInvoice } from '../../bills.ts'
import { startTestApi } from '../../harness.ts'
import { eventTypesOf } from '../../steps.ts'
import { answerToStrangers } from '../same-refusal.ts'

const api = await startTestApi()
afterAll(() => api.stop())

const mark = (id: string) => api.call(actionCall(id, 'mark_uncollectible'))

describe('200', () => {
  test('an open invoice is written off, without an event [§6.1]', async () => {
    const open = await openInvoice(api)
    const answer = await mark(open.id)
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 200,
      body: {
        ...open,
        status: 'uncollectible',
        status_transitions: { ...open.status_transitions, marked_uncollectible_at: expect.any(Number) },
      },
    })
    expect(answer).toHaveRequestId()
    expect((await readInvoice(api, open.id)).body).toEqual(answer.body)
    expect(await eventTypesOf(api, open.id)).toEqual(['invoice.created', 'invoice.finalized'])
  })
})

describe('404', () => {
  test('a foreign, an unknown and an ill-formed id have the same answer', async () => {
    const { id } = await openInvoice(api)
    expect(
      await answerToStrangers(api, id, (strange) => actionCall(strange, 'mark_uncollectible')),
    ).toBeRefusal('resource_missing')
  })
})

describe('409', () => {
  test('a charge may still succeed', async () => {
    const { id } = await openInvoice(api)
    await chargeInvoice(api, id, 'waitsForThePayer')
    expect(await mark(id)).toBeRefusal('charge_in_progress')
    expect((await readInvoice(api, id)).body.status).toBe('open')
  })
})
