import { viewPayment } from '../mtn/payment.ts'
import type { Payment } from '../mtn/payment.ts'
import type { Outcome } from '../mtn/payments.ts'
import { isOpen, viewOrangePayment } from '../orange/payment.ts'
import type { OrangePayment } from '../orange/payment.ts'
import type { OrangeOutcome } from '../orange/scenarios.ts'
import type { Rails } from '../rails.ts'
import type { RailName } from '../settings.ts'
import { MockRailsError } from './control.ts'
import type { ChargeView } from './control.ts'

type Charge = Payment | OrangePayment

type ChargesQuery = {
  readonly limit: number
  readonly msisdn?: string | undefined
  readonly rail?: RailName | undefined
}

export const DECISIONS = {
  approve: { mtn: { state: 'SUCCESSFUL' }, orange: { state: 'SUCCESS' } },
  refuse: {
    mtn: { state: 'FAILED', reason: 'APPROVAL_REJECTED' },
    orange: { state: 'FAILED', reason: 'REFUSED_BY_PAYER' },
  },
  expire: {
    mtn: { state: 'FAILED', reason: 'COULD_NOT_PERFORM_TRANSACTION' },
    orange: { state: 'EXPIRED' },
  },
} as const satisfies Record<string, { mtn: Outcome; orange: OrangeOutcome }>

type Decision = (typeof DECISIONS)[keyof typeof DECISIONS]

export function listCharges(rails: Rails, query: ChargesQuery): ChargeView[] {
  const { limit, msisdn, rail } = query
  const keep = (charge: Charge) => msisdn === undefined || charge.msisdn === msisdn
  const mtn = rail === 'orange' ? [] : rails.mtn.charges.newest(limit, keep)
  const orange = rail === 'mtn' ? [] : rails.orange.payments.newest(limit, keep)
  return [...mtn, ...orange]
    .sort((a, b) => a.submittedAtMs - b.submittedAtMs)
    .slice(-limit)
    .map(viewCharge)
}

/**
 * Finds a charge by MTN's reference, Orange's order_id or its pay_token. They have 36, up to 30 and 64
 * characters, so no two can be equal.
 */
export function getCharge(rails: Rails, reference: string): Charge {
  const charge =
    rails.mtn.charges.find(reference.toLowerCase()) ??
    rails.orange.payments.find(reference) ??
    rails.orange.payments.findByToken(reference)
  if (charge === undefined) throw new MockRailsError(404, 'no payment has this reference')
  return charge
}

export function viewCharge(charge: Charge): ChargeView {
  return charge.rail === 'mtn' ? viewPayment(charge) : viewOrangePayment(charge)
}

/** Does not wait for the callback, so that the person who pressed the button does not wait for the merchant. */
export function decide(rails: Rails, charge: Charge, decision: Decision): void {
  const isPending = charge.rail === 'mtn' ? charge.state === 'PENDING' : isOpen(charge)
  if (!isPending) throw new MockRailsError(409, `the charge is already ${charge.state}`)
  if (charge.rail === 'mtn') void rails.mtn.charges.settle(charge, decision.mtn)
  else void rails.orange.payments.settle(charge, decision.orange)
}
