import { Refusal } from '@merchant-payments/contract'
import type { Deps } from '../deps.ts'
import { newEvent } from '../commit/event.ts'
import { type Answer, type KeyClaim, okAnswer } from '../commit/key.ts'
import { answerOnce } from '../commit/answer-once.ts'
import { changeFacts, type Customer, type CustomerChanges, sameFacts } from './customer.ts'
import { getStoredCustomer } from './queries.ts'
import { renderCustomer } from './render.ts'
import { type CustomerChange, writeChange } from './store.ts'

type UpdateDeps = Pick<Deps, 'db' | 'clock' | 'deployment'>

/** Spec 4.4: a partial update. If it changes nothing, it writes only its answer. */
export async function updateCustomer(
  deps: UpdateDeps,
  claim: KeyClaim,
  idText: string,
  changes: CustomerChanges,
): Promise<Answer> {
  return answerOnce(deps, claim, {
    table: 'customers',
    idText,
    read: (db) => getStoredCustomer(db, claim, idText),
    write: async ({ writer }, customer, nowMs) => {
      if (customer.erasedAtMs !== null) {
        throw new Refusal('customer_erased', 'This customer was erased and cannot be changed.')
      }
      const change = planUpdate(deps, customer, changes, nowMs)
      const answer = okAnswer(claim, renderCustomer(change.after))
      return (await writeChange(writer, claim, change, answer, nowMs)) ? answer : null
    },
  })
}

function planUpdate(
  { deployment }: UpdateDeps,
  before: Customer,
  changes: CustomerChanges,
  nowMs: number,
): CustomerChange {
  const after = changeFacts(before, changes, deployment.defaultCountryCode)
  if (sameFacts(before, after)) return { after: before, event: null }
  const { id, livemode } = after
  const event = newEvent('customer.updated', renderCustomer(after), { livemode, customerId: id, nowMs })
  return { after, event }
}
