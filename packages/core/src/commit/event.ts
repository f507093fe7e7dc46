import type { WrittenEventType } from '@merchant-payments/contract'
import { createdOf, type CustomerId, type EventId, mintId } from '../base/ids.ts'

/** Written with its state change. The body never changes afterwards. */
export interface NewEvent {
  readonly id: EventId
  readonly type: WrittenEventType
  readonly customerId: CustomerId | null
  readonly body: string
}

/** Spec 2.3: six keys. The caller renders the snapshot from the row as the change leaves it. */
export function newEvent(
  type: WrittenEventType,
  snapshot: object,
  facts: { livemode: boolean; customerId: CustomerId | null; nowMs: number },
): NewEvent {
  const id = mintId('evt', facts.nowMs)
  const body = JSON.stringify({
    id,
    object: 'event',
    type,
    created: createdOf(id),
    livemode: facts.livemode,
    data: { object: snapshot },
  })
  return { id, type, customerId: facts.customerId, body }
}
