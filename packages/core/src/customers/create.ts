import { customerInsertions } from './insertions/store.ts'
import { Refusal } from '@merchant-payments/contract'
import type { Deps } from '../deps.ts'
import { clientDisabled } from '../base/client-status.ts'
import { newEvent } from '../commit/event.ts'
import type { Answer, KeyClaim } from '../commit/key.ts'
import { CLAIM_TRIES_MAX, findUsedKey, settleRefusal } from '../commit/answers/store.ts'
import { mintId } from '../base/ids.ts'
import { changeFacts, type Customer, type CustomerChanges, nobody } from './customer.ts'
import { renderCustomer } from './render.ts'

type CreateDeps = Pick<Deps, 'db' | 'writes' | 'clock' | 'deployment'>

/** Spec 2.2: writes the customer, its event and the answer in one round trip. Nothing in it is unique. */
export async function createCustomer(
  deps: CreateDeps,
  claim: KeyClaim,
  wanted: CustomerChanges,
): Promise<Answer> {
  const nowMs = deps.clock()
  const customer = judge(deps, claim, wanted, nowMs)
  if (customer instanceof Refusal) return settleRefusal(deps.db, claim, customer, nowMs)
  const { id, livemode } = customer
  const wire = renderCustomer(customer)
  const event = newEvent('customer.created', wire, { livemode, customerId: id, nowMs })
  const answer = { status: 200, body: JSON.stringify(wire), shouldRetry: null }
  for (let tries = 0; tries < CLAIM_TRIES_MAX; tries += 1) {
    const end = await deps.writes.together(customerInsertions, { claim, customer, event, answer, nowMs })
    if (end === 'client_disabled') throw clientDisabled()
    if (end === 'inserted') return { ...answer, replayed: false }
    const used = await findUsedKey(deps.db.reader, claim, nowMs)
    if (used?.kind === 'answered') return used.answer
  }
  throw new Error('an idempotency key kept vanishing')
}

function judge(
  { deployment }: CreateDeps,
  { merchantId }: KeyClaim,
  wanted: CustomerChanges,
  nowMs: number,
): Customer | Refusal {
  try {
    return {
      ...changeFacts(nobody, wanted, deployment.defaultCountryCode),
      merchantId,
      id: mintId('cus', nowMs),
      livemode: deployment.livemode,
      erasedAtMs: null,
      lastUsedAtMs: nowMs,
      revision: 0,
    }
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}
