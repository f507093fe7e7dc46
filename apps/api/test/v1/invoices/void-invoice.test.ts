import { afterAll, describe, expect, test } from 'vitest'
import {
  act,
  actionCall,
  chargeInvoice,
  invoiceIn,
  openInvoice,
  readInvoice,
  withoutLines,
} from '../../bills.ts'
import { settle, startTestApi } from '../../harness.ts'
import { cancelCall, confirmCall, eventsOf, readIntent } from '../../steps.ts'
import { answerToStrangers } from '../same-refusal.ts'

const api = await startTestApi()
afterAll(() => api.stop())

const voidIt = (id: string) => api.call(actionCall(id, 'void'))

describe('200', () => {
  test.each(['open', 'uncollectible'] as const)('an invoice that is %s [§6.1]', async (status) => {
    const before = await invoiceIn(api, status)
    const answer = await voidIt(before.id)
    const voidedAt = expect.any(Number)
    const after = {
      ...before,
      status: 'void',
      status_transitions: { ...before.status_transitions, voided_at: voidedAt },
    }
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: after })
    expect(answer).toHaveRequestId()
    expect((await readInvoice(api, before.id)).body).toEqual(answer.body)
    expect((await eventsOf(api, before.id)).at(-1)).toMatchObject({
      type: 'invoice.voided',
      data: { object: withoutLines(answer.body) },
    })
  })

  test('its intent does not change, and can no longer be confirmed', async () => {
    const { id } = await openInvoice(api)
    const { payment_intent: intent } = await act(api, id, 'pay')
    await act(api, id, 'void')
    expect((await readIntent(api, intent ?? '')).body.status).toBe('requires_payment_method')
    expect(await api.call(confirmCall(intent ?? ''))).toBeRefusal('invoice_void')
    expect((await api.call(cancelCall(intent ?? ''))).status).toBe(200)
  })

  test('after a refused charge', async () => {
    const { id } = await openInvoice(api)
    await chargeInvoice(api, id, 'declines')
    await settle(api)
    expect((await act(api, id, 'void')).status).toBe('void')
  })
})

describe('404', () => {
  test('a foreign, an unknown and an ill-formed id have the same answer', async () => {
    const { id } = await openInvoice(api)
    expect(await answerToStrangers(api, id, (strange) => actionCall(strange, 'void'))).toBeRefusal(
      'resource_missing',
    )
  })
})

describe('409', () => {
  test.each(['waitsForThePayer', 'approves'] as const)(
    'a charge that %s may still take money',
    async (ending) => {
      const { id } = await openInvoice(api)
      await chargeInvoice(api, id, ending)
      expect(await voidIt(id)).toBeRefusal('charge_in_progress')
      expect((await readInvoice(api, id)).body.status).toBe('open')
    },
  )

  test('with an open charge of a canceled intent', async () => {
    const { id } = await openInvoice(api)
    const intent = await chargeInvoice(api, id, 'waitsForThePayer')
    await api.call(cancelCall(intent))
    expect(await voidIt(id)).toBeRefusal('charge_in_progress')
  })

  test('with a charge without an answer of its rail', async () => {
    const { id } = await openInvoice(api)
    const { payment_intent: intent } = await act(api, id, 'pay')
    await api.call(confirmCall(intent ?? '', 'acceptedThenReset'))
    expect(await voidIt(id)).toBeRefusal('charge_in_progress')
  })
})
