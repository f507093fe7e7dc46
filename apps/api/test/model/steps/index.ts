import type { OperationId } from '../books/operations.ts'
import { sessionPlans } from './checkout-sessions.ts'
import { customerPlans } from './customers.ts'
import type { Plan } from './desk.ts'
import { invoicePlans } from './invoices.ts'
import { otherPlans, repeat } from './others.ts'
import { intentPlans } from './payment-intents.ts'
import { refundPlans } from './refunds.ts'
import { happenings } from './world.ts'

/** A plan for every operation. */
export const operationPlans = {
  ...customerPlans,
  ...intentPlans,
  ...sessionPlans,
  ...invoicePlans,
  ...refundPlans,
  ...otherPlans,
} as const satisfies Record<OperationId, Plan>

export const plans = { ...operationPlans, repeat } as const

export type StepName = keyof typeof plans | keyof typeof happenings

export const stepNames = [...Object.keys(plans), ...Object.keys(happenings)] as readonly StepName[]

/** How often a step comes, beside the others. */
const weights: Partial<Record<StepName, number>> = {
  repeat: 24,
  'customers.create': 10,
  'customers.update': 8,
  'customers.del': 4,
  'paymentIntents.create': 16,
  'paymentIntents.confirm': 36,
  'paymentIntents.cancel': 7,
  'browser.paymentIntents.confirm': 10,
  'checkout.sessions.create': 16,
  'checkout.sessions.expire': 8,
  'invoices.create': 8,
  'invoices.finalizeInvoice': 14,
  'invoices.pay': 24,
  'invoices.update': 6,
  'invoices.voidInvoice': 5,
  'invoices.markUncollectible': 6,
  'invoiceItems.create': 18,
  'invoiceItems.update': 6,
  'refunds.create': 24,
  'refunds.update': 6,
  payerDecides: 20,
  settle: 14,
  instruct: 4,
  lateSuccesses: 6,
  sweepSessions: 4,
  aDayPasses: 1,
  aSeasonPasses: 2,
  sweepCustomers: 4,
  keepHouse: 1,
  aPayerInsists: 2,
}

const USUAL_WEIGHT = 3

export const weightOf = (step: StepName): number => weights[step] ?? USUAL_WEIGHT
