import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { startTestApi } from '../../harness.ts'
import { anyRefund, cancelRefundCall, createRefund, makeWait, readRefund, reservedOf } from '../../refunds.ts'
import { eventsOf, eventTypesOf, succeededIntent } from '../../steps.ts'
import { strangeIds } from '../strange-ids.ts'

const api = await startTestApi()
afterAll(() => api.stop())

describe('200', () => {
  test('a refund that requires an action, which create never makes, is canceled with an event, and reserves nothing [§6.1]', async () => {
    const refund = await anyRefund(api, '&amount=2000')
    await makeWait(api, refund.id)
    const canceled = { ...refund, status: 'canceled' }
    const answer = await api.call(cancelRefundCall(refund.id))
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: canceled })
    expect((await eventsOf(api, refund.id)).at(-1)).toMatchObject({
      type: 'charge.refund.updated',
      data: { object: canceled },
    })
    expect(await reservedOf(api, refund.payment_intent)).toBe(0)
    expect(await api.call(cancelRefundCall(refund.id))).toBeRefusal('refund_not_cancelable')
  })
})

describe('404', () => {
  test('a foreign, an unknown and an ill-formed id have the same answer, byte for byte', async () => {
    const refund = await anyRefund(api)
    const foreign = await api.call(cancelRefundCall(refund.id, { merchant: 'globex' }))
    expect(foreign).toBeRefusal('resource_missing')
    for (const strange of strangeIds(refund.id)) {
      const answer = await api.call(cancelRefundCall(strange))
      expect([strange, answer.text]).toEqual([strange, foreign.text])
    }
  })
})

describe('409', () => {
  test('every refund that create makes, also before its rail has got it [§3.5]', async () => {
    const intent = await succeededIntent(api)
    const taken = await createRefund(api, intent.id, '&amount=1')
    await api.wire.cut()
    const unsent = await createRefund(api, intent.id, '&amount=1')
    await api.wire.mend()
    for (const refund of [taken, unsent]) {
      const key = randomUUID()
      const first = await api.call(cancelRefundCall(refund.id, { key, form: 'reason=x' }))
      expect(first).toBeRefusal('refund_not_cancelable')
      expect(await api.call(cancelRefundCall(refund.id, { key, form: 'reason=x' }))).toReplay(first)
      expect((await readRefund(api, refund.id)).body).toEqual(refund)
      expect(await eventTypesOf(api, refund.id)).toEqual(['charge.refunded'])
    }
    expect(await reservedOf(api, intent.id)).toBe(2)
  })
})
