import type { MtnSettings } from '../settings.ts'
import { walletBody } from './answers.ts'
import type { WalletCode } from './answers.ts'
import type { Scenario } from './scenarios.ts'

export type PaymentState = 'PENDING' | 'SUCCESSFUL' | 'FAILED'

/** A request to pay names its payer, a transfer its payee. */
export type Party = 'payer' | 'payee'

export type PaymentDraft = {
  readonly reference: string
  readonly externalId: string | null
  readonly amount: string
  readonly currency: string
  readonly msisdn: string
  readonly payerMessage: string | null
  readonly payeeNote: string | null
  readonly callbackUrl: string | null
}

export type Payment = PaymentDraft & {
  readonly rail: 'mtn'
  readonly scenario: Scenario
  readonly submittedAtMs: number
  state: PaymentState
  reason: WalletCode | null
  financialTransactionId: string | null
  finalAtMs: number | null
  statusQueries: number
}

export type PaymentView = Omit<Payment, 'scenario'> & {
  readonly scenario: string
  readonly movedAmount: string | null
}

/** The amount that moves. In scenario 481 it differs from the requested one. */
export function movingAmount(payment: Payment): string {
  if (!payment.scenario.movesOneMore) return payment.amount
  return payment.amount.replace(/^\d+/, (whole) => `${BigInt(whole) + 1n}`)
}

export function viewPayment(payment: Payment): PaymentView {
  const movedAmount = payment.state === 'SUCCESSFUL' ? movingAmount(payment) : null
  return { ...payment, scenario: payment.scenario.suffix, movedAmount }
}

/** The body of a status query and of the callback. It never contains the reference. */
export function renderPayment(payment: Payment, party: Party, settings: MtnSettings): object {
  const { status, reason } = stateOnWire(payment)
  const shape = payment.scenario.reasonShape ?? settings.reasonShape
  return {
    financialTransactionId: payment.financialTransactionId ?? undefined,
    externalId: payment.externalId ?? undefined,
    amount: payment.state === 'SUCCESSFUL' ? movingAmount(payment) : payment.amount,
    currency: payment.currency,
    [party]: { partyIdType: 'MSISDN', partyId: payment.msisdn },
    payerMessage: payment.payerMessage ?? undefined,
    payeeNote: payment.payeeNote ?? undefined,
    status,
    reason: payment.scenario.namesPayer ? naming(payment) : reasonOnWire(status, reason, shape),
  }
}

function naming({ reason, msisdn }: Payment): unknown {
  if (reason === null) return undefined
  const { code, message } = walletBody(reason)
  return { code, message: `${message} (${msisdn})` }
}

function stateOnWire(payment: Payment): { status: string; reason: WalletCode | null } {
  const { pendingAs } = payment.scenario
  if (payment.state !== 'PENDING' || pendingAs === undefined) {
    return { status: payment.state, reason: payment.reason }
  }
  return { status: pendingAs.status, reason: pendingAs.reason ?? null }
}

function reasonOnWire(status: string, reason: WalletCode | null, shape: MtnSettings['reasonShape']): unknown {
  if (shape === 'string') return reason ?? undefined
  if (reason !== null) return walletBody(reason)
  // In the older swagger, a success has an empty reason.
  return status === 'SUCCESSFUL' ? {} : undefined
}
