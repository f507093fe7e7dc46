import { newCustomers } from './insertions.ts'
import { Refusal } from '@merchant-payments/contract'
import type { Deps } from '../deps.ts'
import { orRefusal } from '../commit/answer-once.ts'
import { createOnce } from '../commit/create-once.ts'
import { newEvent } from '../commit/event.ts'
import { type Answer, type KeyClaim, okAnswer } from '../commit/key.ts'
import { settleRefusal } from '../commit/answers.ts'
import { mintId } from '../base/ids.ts'
import { changeFacts, type Customer, type CustomerChanges, noFacts } from './customer.ts'
import { renderCustomer } from './render.ts'

type CreateDeps = Pick<Deps, 'db' | 'writes' | 'clock' | 'deployment'>

/** Spec 2.2: one round trip. No field of a customer is unique. */
export async function createCustomer(
  deps: CreateDeps,
  claim: KeyClaim,
  wanted: CustomerChanges,
): Promise<Answer> {
  const nowMs = deps.clock()
  const customer = orRefusal(() => draftOf(deps, claim, wanted, nowMs))
  if (customer instanceof Refusal) return settleRefusal(deps.db, claim, customer, nowMs)
  const { id, livemode } = customer
  const wire = renderCustomer(customer)
  const event = newEvent('customer.created', wire, { livemode, customerId: id, nowMs })
  const answer = okAnswer(claim, wire)
  return createOnce(deps, newCustomers, { claim, customer, event, answer, nowMs })
}

const draftOf = (
  { deployment }: CreateDeps,
  { merchantId }: KeyClaim,
  wanted: CustomerChanges,
  nowMs: number,
): Customer => ({
  ...changeFacts(noFacts, wanted, deployment.defaultCountryCode),
  merchantId,
  id: mintId('cus', nowMs),
  livemode: deployment.livemode,
  erasedAtMs: null,
  lastUsedAtMs: nowMs,
  revision: 0,
})
