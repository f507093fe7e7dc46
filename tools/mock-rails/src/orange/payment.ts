import { randomBytes } from 'node:crypto'
import type { FailureReason, OrangeScenario } from './scenarios.ts'

export type OrangeState = 'INITIATED' | 'PENDING' | 'SUCCESS' | 'FAILED' | 'EXPIRED'

/** The path segment: the sandbox with its fictional currency, or Cameroon. */
export type OrangeEnvironment = 'dev' | 'cm'

export type OrangeDraft = {
  /** The order_id: at most 30 characters, so it never equals one of MTN's UUIDs. */
  readonly reference: string
  /** The merchant's own `reference`, which the payer sees. No look-up uses it. */
  readonly externalId: string
  readonly environment: OrangeEnvironment
  readonly amount: string
  readonly currency: string
  readonly lang: 'fr' | 'en'
  readonly returnUrl: string
  readonly cancelUrl: string
  readonly callbackUrl: string
  /** The origin under which the merchant reached this port. */
  readonly origin: string
}

export type OrangePayment = Omit<OrangeDraft, 'origin'> & {
  readonly rail: 'orange'
  readonly payToken: string
  readonly notifToken: string
  readonly paymentUrl: string
  readonly submittedAtMs: number
  readonly expiresAtMs: number
  scenario: OrangeScenario
  state: OrangeState
  reason: FailureReason | null
  /** Null until somebody has paid or tried to. */
  msisdn: string | null
  txnid: string | null
  finalAtMs: number | null
  isNotified: boolean
  statusQueries: number
  queriesToSpoil: number
}

export type OrangePaymentView = Omit<OrangePayment, 'scenario'> & {
  readonly scenario: string
  readonly movedAmount: string | null
}

const PAY_TOKEN_BYTES = 32
const NOTIF_TOKEN_BYTES = 16

type Opening = { readonly scenario: OrangeScenario; readonly atMs: number; readonly validityMs: number }

export function newPayment({ origin, ...draft }: OrangeDraft, opening: Opening): OrangePayment {
  const { scenario, atMs, validityMs } = opening
  const payToken = randomBytes(PAY_TOKEN_BYTES).toString('hex')
  return {
    ...draft,
    rail: 'orange',
    payToken,
    notifToken: randomBytes(NOTIF_TOKEN_BYTES).toString('hex'),
    paymentUrl: `${origin}/payment/pay_token/${payToken}`,
    submittedAtMs: atMs,
    expiresAtMs: atMs + validityMs,
    scenario,
    state: 'INITIATED',
    reason: null,
    msisdn: null,
    txnid: null,
    finalAtMs: null,
    isNotified: false,
    statusQueries: 0,
    queriesToSpoil: 0,
  }
}

export function viewOrangePayment(payment: OrangePayment): OrangePaymentView {
  const movedAmount = payment.state === 'SUCCESS' ? payment.amount : null
  return { ...payment, scenario: payment.scenario.suffix, movedAmount }
}

export function isOpen(payment: OrangePayment): boolean {
  return payment.state === 'INITIATED' || payment.state === 'PENDING'
}

/** The body of a status query. It does not say why a payment failed. */
export function renderStatus(payment: OrangePayment): object {
  const { state, reference, txnid, scenario } = payment
  const status = state === 'PENDING' ? (scenario.pendingAs ?? state) : state
  return { status, order_id: reference, txnid: state === 'SUCCESS' ? txnid : undefined }
}

/** The body of the notification. Its only proof is the notif_token; it has no amount. */
export function renderNotification({ state, notifToken, txnid }: OrangePayment): object {
  return { status: state, notif_token: notifToken, txnid }
}
