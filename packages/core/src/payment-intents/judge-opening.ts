import { Refusal } from '@merchant-payments/contract'
import type { Reader } from '@merchant-payments/db'
import { areSpent, chargesMaxOf, isOfPayer } from '../base/attempts.ts'
import type { NewCharge } from './opening.ts'
import { countCharges } from './opening-store.ts'
import type { KeyScope } from '../commit/key.ts'
import { idOf, uuidOf } from '../base/ids.ts'
import {
  chargeInProgress,
  chargeTerminal,
  intentCanceled,
  intentPaid,
  noSuchIntent,
  notPayable,
  sessionNotOpen,
  tooManyAttempts,
} from './refusals.ts'
import { customerErased, customerOfBodyErased, noCustomerOfBody } from '../commit/create-once.ts'
import type { Intent } from './intent.ts'

/** Finds the condition of `openCharges` that failed. */
export async function judgeOpening(
  reader: Reader,
  intent: Intent | undefined,
  charge: NewCharge,
  scope: KeyScope,
): Promise<Refusal> {
  if (intent === undefined) return noSuchIntent()
  if (await isSessionOver(reader, intent, charge)) return sessionNotOpen(intent.status === 'succeeded')
  if (intent.status === 'canceled') return intentCanceled(intent)
  if (intent.status === 'succeeded') return isOfPayer(scope) ? intentPaid() : chargeTerminal()
  if (intent.status === 'processing') return chargeInProgress()
  const closed = await judgeInvoice(reader, intent)
  if (closed !== null) return closed
  const param = `payment_method_data[${charge.rail}]`
  if (!intent.paymentMethodTypes.includes(charge.rail)) {
    return new Refusal('invalid_request', 'is not among the payment_method_types of this payment intent', {
      param,
    })
  }
  if (intent.currency !== charge.settlementCurrency) {
    return new Refusal('invalid_request', `settles in ${charge.settlementCurrency} only`, { param })
  }
  return (await judgeCustomer(reader, intent, charge)) ?? (await judgeAttempts(reader, intent, scope))
}

async function judgeAttempts(reader: Reader, intent: Intent, scope: KeyScope): Promise<Refusal> {
  const attempts = await countCharges(reader, intent)
  return areSpent(attempts, chargesMaxOf(scope)) && attempts.live === 0
    ? tooManyAttempts(intent)
    : chargeInProgress()
}

async function judgeInvoice(reader: Reader, intent: Intent): Promise<Refusal | null> {
  if (intent.invoiceId === null) return null
  const { status } = await reader
    .selectFrom('invoices')
    .select('status')
    .where('merchant_id', '=', intent.merchantId)
    .where('id', '=', uuidOf(intent.invoiceId))
    .executeTakeFirstOrThrow()
  return status === 'paid' || status === 'void' ? notPayable(status) : null
}

async function judgeCustomer(
  reader: Reader,
  intent: Intent,
  { namedCustomer }: NewCharge,
): Promise<Refusal | null> {
  const customerId = intent.customerId ?? namedCustomer
  if (customerId === null) return null
  if (namedCustomer !== null && namedCustomer !== customerId) {
    return new Refusal('invalid_request', 'must be the customer of this payment intent', {
      param: 'customer',
    })
  }
  const customer = await reader
    .selectFrom('customers')
    .select('erased_at')
    .where('merchant_id', '=', intent.merchantId)
    .where('id', '=', uuidOf(customerId))
    .executeTakeFirst()
  if (customer === undefined) return noCustomerOfBody()
  if (customer.erased_at === null) return null
  return namedCustomer === null ? customerErased() : customerOfBodyErased()
}

async function isSessionOver(
  reader: Reader,
  { merchantId, id }: Intent,
  charge: NewCharge,
): Promise<boolean> {
  if (charge.session === null) return false
  const session = await reader
    .selectFrom('checkout_sessions')
    .select(['payment_intent_id', 'status', 'expires_at'])
    .where('merchant_id', '=', merchantId)
    .where('id', '=', uuidOf(charge.session))
    .executeTakeFirst()
  const isOpen =
    session !== undefined &&
    idOf('pi', session.payment_intent_id) === id &&
    session.status === 'open' &&
    session.expires_at > charge.openedAtMs
  return !isOpen
}
