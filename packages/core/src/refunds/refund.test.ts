import { Refund as WireRefund, type RefundStatus, refundStatuses } from '@merchant-payments/contract'
import { describe, expect, test } from 'vitest'
import { makeRefund, PAYER, PUSH, T0 } from '../../test/make.ts'
import { createdOf, mintId } from '../base/ids.ts'
import { instructRefund, moveRefund, type Refund } from './refund.ts'
import { renderRefund } from './render.ts'

describe('a rendered refund', () => {
  test('has the fields of the interface and no other, and the number is none of them', () => {
    const refund = makeRefund('pending', { reason: 'duplicate', customerId: mintId('cus', T0) })
    const wire = renderRefund(refund)
    expect(wire).toEqual({
      id: refund.id,
      object: 'refund',
      amount: 400,
      currency: 'XAF',
      payment_intent: refund.intentId,
      status: 'pending',
      fee: null,
      reason: 'duplicate',
      failure_reason: null,
      destination_details: { type: PUSH },
      metadata: { ticket: '4711' },
      created: createdOf(refund.id),
      livemode: false,
    })
    expect(JSON.stringify(wire)).not.toContain(PAYER)
  })

  test.each(refundStatuses)('%s is as the contract has it', (status) => {
    expect(WireRefund.safeParse(renderRefund(makeRefund(status))).error).toBeUndefined()
  })
})

describe('a move of a refund', () => {
  test('writes an event whose snapshot is the refund after the move', () => {
    const customerId = mintId('cus', T0)
    const before = makeRefund('pending', { customerId })
    const { after, event } = moveRefund(before, 'fail', { reason: 'not_supported' }, T0 + 1_000)
    expect(event).toMatchObject({ type: 'charge.refund.updated', customerId })
    expect(JSON.parse(event?.body ?? '')).toMatchObject({
      created: event && createdOf(event.id),
      data: { object: renderRefund(after) },
    })
    expect(after).toMatchObject({ status: 'failed', failureReason: 'not_supported', destination: null })
  })

  test('of metadata changes neither the state nor the instruction', () => {
    for (const status of refundStatuses) {
      const before: Refund = makeRefund(status)
      const { after } = moveRefund<RefundStatus, 'update'>(before, 'update', { metadata: { a: '1' } }, T0)
      expect(after).toEqual({ ...before, metadata: { a: '1' }, revision: 1 })
    }
  })

  test('that is illegal throws, even if a cast hides it from the compiler', () => {
    const failed = makeRefund('failed') as Refund as Refund<'pending'>
    expect(() => moveRefund(failed, 'fail', { reason: 'declined' }, T0)).toThrow('failed cannot fail')
    const taken = makeRefund('pending', { instruction: 'accepted' })
    const send = { kind: 'send', submitDeadlineMs: T0 } as const
    expect(() => instructRefund(taken, send, T0)).toThrow('accepted cannot send')
  })
})
