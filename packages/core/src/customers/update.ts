import { Refusal } from '@merchant-payments/contract'
import type { Deps } from '../deps.ts'
import { clientDisabled } from '../base/client-status.ts'
import { newEvent } from '../commit/event.ts'
import { type Answer, type KeyClaim, okAnswer } from '../commit/key.ts'
import { findUsedKey, settleRefusal } from '../commit/answers/store.ts'
import { parseId } from '../base/ids.ts'
import { changeFacts, type Customer, type CustomerChanges, sameFacts } from './customer.ts'
import { noSuchCustomer } from './queries.ts'
import { renderCustomer } from './render.ts'
import { type CustomerChange, findCustomer, writeChange } from './store.ts'

/** Each try loses to another change of the same customer. More than a few in a row is a bug. */
const RACES_MAX = 8

type UpdateDeps = Pick<Deps, 'db' | 'clock' | 'deployment'>

/** Spec 4.4: a partial update. If it changes nothing, it writes only its answer. */
export async function updateCustomer(
  deps: UpdateDeps,
  claim: KeyClaim,
  idText: string,
  changes: CustomerChanges,
): Promise<Answer> {
  const nowMs = deps.clock()
  const refuse = (refusal: Refusal) => settleRefusal(deps.db, claim, refusal, nowMs)
  const id = parseId('cus', idText)
  if (id === null) return refuse(noSuchCustomer())
  for (let races = 0; races < RACES_MAX; races += 1) {
    const { open, found: customer } = await findCustomer(deps.db.reader, claim.merchantId, id)
    if (!open) throw clientDisabled()
    if (customer === undefined) return refuse(noSuchCustomer())
    if (customer.erasedAtMs !== null) return refuse(customerErased())
    const change = planUpdate(deps, customer, changes, nowMs)
    if (change instanceof Refusal) return refuse(change)
    const answer = okAnswer(claim, renderCustomer(change.after))
    if (await writeChange(deps.db.writer, claim, change, answer, nowMs)) return { ...answer, replayed: false }
    const used = await findUsedKey(deps.db.reader, claim, nowMs)
    if (used?.kind === 'answered') return used.answer
  }
  throw new Error('a customer kept changing')
}

function planUpdate(
  { deployment }: UpdateDeps,
  before: Customer,
  changes: CustomerChanges,
  nowMs: number,
): CustomerChange | Refusal {
  try {
    const after = changeFacts(before, changes, deployment.defaultCountryCode)
    if (sameFacts(before, after)) return { after: before, event: null }
    const { id, livemode } = after
    const event = newEvent('customer.updated', renderCustomer(after), { livemode, customerId: id, nowMs })
    return { after, event }
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

const customerErased = () => new Refusal('customer_erased', 'This customer was erased and cannot be changed.')
