import { createBoundedMap } from '../bounded.ts'
import type { MockClock } from '../clock.ts'
import type { Schedule } from '../schedule.ts'
import type { SettingsStore } from '../settings.ts'
import { isOpen, newPayment } from './payment.ts'
import type { OrangeDraft, OrangePayment } from './payment.ts'
import { ANY_PAYER, numberOf, OTHERWISE, QUERIES_SPOILED } from './scenarios.ts'
import type { OrangeOutcome, OrangeScenario, OrangeStep } from './scenarios.ts'

export type OrangePayments = {
  readonly open: (draft: OrangeDraft, chosen: OrangeScenario | undefined) => OrangePayment
  readonly find: (orderId: string) => OrangePayment | undefined
  readonly findByToken: (payToken: string) => OrangePayment | undefined
  readonly newest: (limit: number, keep?: (payment: OrangePayment) => boolean) => OrangePayment[]
  /** The payer pays. No effect if the payment is no longer INITIATED. */
  readonly confirm: (payment: OrangePayment, msisdn: string, scenario: OrangeScenario) => Promise<void>
  /** No effect if the payment cannot move to this state. The promise is its notification's. */
  readonly settle: (payment: OrangePayment, outcome: OrangeOutcome) => Promise<void>
  readonly clear: () => void
}

export type OrangePaymentsDeps = {
  readonly clock: MockClock
  readonly schedule: Schedule
  readonly settings: SettingsStore
  readonly nextTransactionId: () => string
  readonly onMoved: (payment: OrangePayment) => void
  /** Called once per payment, at its first SUCCESS or FAILED. The promise is its notification's. */
  readonly onDecided: (payment: OrangePayment) => Promise<void>
}

const MAX_PAYMENTS = 500_000

/** Payments by order and by token. Only this code moves a payment. */
export function createOrangePayments(deps: OrangePaymentsDeps): OrangePayments {
  const byOrder = createBoundedMap<string, OrangePayment>(MAX_PAYMENTS)
  const byToken = createBoundedMap<string, OrangePayment>(MAX_PAYMENTS)
  return {
    open: (draft, chosen) => {
      const payment = newPayment(draft, {
        scenario: chosen ?? OTHERWISE,
        atMs: deps.clock.now(),
        validityMs: deps.settings.orange().validityMs,
      })
      byOrder.set(payment.reference, payment)
      byToken.set(payment.payToken, payment)
      expectPayer(deps, payment, chosen)
      return payment
    },
    find: byOrder.get,
    findByToken: byToken.get,
    newest: byOrder.newest,
    confirm: (payment, msisdn, scenario) => confirm(deps, payment, msisdn, scenario, deps.clock.now()),
    settle: (payment, outcome) => settle(deps, payment, outcome),
    clear: () => {
      byOrder.clear()
      byToken.clear()
    },
  }
}

async function settle(
  deps: OrangePaymentsDeps,
  payment: OrangePayment,
  outcome: OrangeOutcome,
): Promise<void> {
  // A bad end may still become the late success; a success never moves again, so money moves once.
  const isLateSuccess = outcome.state === 'SUCCESS' && payment.state !== 'SUCCESS'
  if (!isOpen(payment) && !isLateSuccess) return
  payment.state = outcome.state
  payment.reason = outcome.state === 'FAILED' ? outcome.reason : null
  payment.finalAtMs = deps.clock.now()
  // The rail reports no expiry.
  if (outcome.state === 'EXPIRED') return
  payment.txnid ??= deps.nextTransactionId()
  if (outcome.state === 'SUCCESS') {
    payment.msisdn ??= ANY_PAYER
    deps.onMoved(payment)
  }
  if (payment.isNotified) return
  payment.isNotified = true
  await deps.onDecided(payment)
}

function follow(
  deps: OrangePaymentsDeps,
  payment: OrangePayment,
  steps: readonly OrangeStep[],
  fromMs: number,
): void {
  const [step, ...rest] = steps
  if (step === undefined) return
  const atMs = fromMs + deps.settings.orange()[step.after]
  const from = payment.state
  deps.schedule.at(atMs, () => {
    // The control plane was first, which ends the scenario.
    if (payment.state !== from) return
    void settle(deps, payment, step)
    follow(deps, payment, rest, atMs)
  })
}

async function confirm(
  deps: OrangePaymentsDeps,
  payment: OrangePayment,
  msisdn: string,
  scenario: OrangeScenario,
  atMs: number,
): Promise<void> {
  if (payment.state !== 'INITIATED') return
  payment.state = 'PENDING'
  payment.msisdn = msisdn
  payment.scenario = scenario
  payment.queriesToSpoil = scenario.firstQueries === undefined ? 0 : QUERIES_SPOILED
  follow(deps, payment, scenario.steps, atMs)
  if (scenario.notifiesFirst) await settle(deps, payment, { state: 'SUCCESS' })
}

function expectPayer(
  deps: OrangePaymentsDeps,
  payment: OrangePayment,
  chosen: OrangeScenario | undefined,
): void {
  if (chosen !== undefined && !chosen.onlyByAmount) {
    const atMs = payment.submittedAtMs + deps.settings.orange().payerActsAfterMs
    deps.schedule.at(atMs, () => void confirm(deps, payment, numberOf(chosen), chosen, atMs))
  }
  if (chosen?.neverExpires) return
  deps.schedule.at(payment.expiresAtMs, () => {
    if (payment.state === 'INITIATED') void settle(deps, payment, { state: 'EXPIRED' })
  })
}
