import { Event } from '@merchant-payments/contract'
import { expect, test } from 'vitest'
import { T0 } from '../../test/make.ts'
import { createdOf, mintId } from '../base/ids.ts'
import { newEvent } from './event.ts'

test('an event has six keys, and the snapshot that it was given [§2.3]', () => {
  const customerId = mintId('cus', T0)
  const snapshot = { id: 'pi_1', object: 'payment_intent', nested: { list: [1, null] } }

  const event = newEvent('payment_intent.canceled', snapshot, {
    livemode: true,
    customerId,
    nowMs: T0 + 1_999,
  })

  expect(event).toEqual({ id: event.id, type: 'payment_intent.canceled', customerId, body: event.body })
  const body: unknown = JSON.parse(event.body)
  expect(body).toEqual({
    id: event.id,
    object: 'event',
    type: 'payment_intent.canceled',
    created: createdOf(event.id),
    livemode: true,
    data: { object: snapshot },
  })
  expect(Event.parse(body)).toEqual(body)
})
