import { Refusal } from '@merchant-payments/contract'
import type { Session } from '@merchant-payments/db'
import { clientDisabled } from '../base/client-status.ts'
import { findAnswer, settleRefusal, untilClaimed } from './answers.ts'
import type { Creation, CreationResult } from './creates.ts'
import type { Answer } from './key.ts'
import type { SharedWrite, Writes } from './writes.ts'

/**
 * Creates a resource once for its key, in one statement with concurrent creates.
 * @throws Refusal because of its customer, its key, or a disabled client
 */
export async function createOnce<Item extends Creation>(
  { db, writes }: { readonly db: Session; readonly writes: Writes },
  kind: SharedWrite<Item, CreationResult>,
  item: Item,
): Promise<Answer> {
  const { claim, answer, nowMs } = item
  return untilClaimed<Answer>(async () => {
    const end = await writes.together(kind, item)
    if (end === 'inserted') return { ...answer, replayed: false }
    if (typeof end === 'object') return end
    if (end === 'client_disabled') throw clientDisabled()
    if (end === 'customer_missing') return settleRefusal(db, claim, noCustomerOfBody(), nowMs)
    if (end === 'customer_erased') return settleRefusal(db, claim, customerOfBodyErased(), nowMs)
    return findAnswer(db.reader, claim, nowMs)
  })
}

// Spec 4.3.5: a foreign customer and a missing one get the same 400.
export const noCustomerOfBody = () =>
  new Refusal('invalid_request', 'No such customer.', { param: 'customer' })

export const customerOfBodyErased = () =>
  new Refusal('customer_erased', 'This customer was erased and cannot be used.', { param: 'customer' })

/** For a request that does not name the customer: an object that it names has one. */
export const customerErased = () =>
  new Refusal('customer_erased', 'The customer was erased and cannot be used.')
