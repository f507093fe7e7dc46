import { createBoundedMap } from '../bounded.ts'
import type { MockClock } from '../clock.ts'
import type { Schedule } from '../schedule.ts'
import type { SettingsStore } from '../settings.ts'
import type { WalletCode } from './answers.ts'
import type { Payment, PaymentDraft } from './payment.ts'
import type { Scenario, Step } from './scenarios.ts'

export type Outcome =
  | { readonly state: 'SUCCESSFUL' }
  | { readonly state: 'FAILED'; readonly reason: WalletCode }

export type Payments = {
  readonly open: (draft: PaymentDraft, scenario: Scenario) => Payment
  readonly find: (reference: string) => Payment | undefined
  readonly newest: (limit: number, keep?: (payment: Payment) => boolean) => Payment[]
  /** Returns null if the payment cannot move to this state, otherwise a promise of its callback. */
  readonly settle: (payment: Payment, outcome: Outcome) => Promise<void> | null
  readonly clear: () => void
}

export type PaymentsDeps = {
  readonly clock: MockClock
  readonly schedule: Schedule
  readonly settings: SettingsStore
  readonly nextTransactionId: () => string
  readonly onMoved: (payment: Payment) => void
  /** Called once per payment, at its first final state. The promise is its callback's. */
  readonly onFinal: (payment: Payment) => Promise<void>
}

const MAX_PAYMENTS = 500_000

/** Payments by reference. Only this code moves a payment. */
export function createPayments(deps: PaymentsDeps): Payments {
  const payments = createBoundedMap<string, Payment>(MAX_PAYMENTS)

  function settle(payment: Payment, outcome: Outcome): Promise<void> | null {
    // FAILED to SUCCESSFUL is the late success. A success never moves again, so money moves once.
    const isMovable =
      payment.state === 'PENDING' || (payment.state === 'FAILED' && outcome.state === 'SUCCESSFUL')
    if (!isMovable) return null
    const isFirstFinal = payment.state === 'PENDING'
    payment.state = outcome.state
    payment.reason = outcome.state === 'FAILED' ? outcome.reason : null
    payment.finalAtMs = deps.clock.now()
    if (outcome.state === 'SUCCESSFUL') {
      payment.financialTransactionId = deps.nextTransactionId()
      deps.onMoved(payment)
    }
    return isFirstFinal ? deps.onFinal(payment) : Promise.resolve()
  }

  function follow(payment: Payment, steps: readonly Step[], fromMs: number): void {
    const [step, ...rest] = steps
    if (step === undefined) return
    const atMs = fromMs + deps.settings.mtn()[step.after]
    const from = payment.state
    deps.schedule.at(atMs, () => {
      // A person on the handset page decided first, which ends the scenario.
      if (payment.state !== from) return
      void settle(payment, step)
      follow(payment, rest, atMs)
    })
  }

  return {
    open: (draft, scenario) => {
      const submittedAtMs = deps.clock.now()
      const payment: Payment = {
        ...draft,
        rail: 'mtn',
        scenario,
        submittedAtMs,
        state: 'PENDING',
        reason: null,
        financialTransactionId: null,
        finalAtMs: null,
        statusQueries: 0,
      }
      payments.set(draft.reference, payment)
      follow(payment, scenario.steps, submittedAtMs)
      return payment
    },
    find: payments.get,
    newest: payments.newest,
    settle,
    clear: payments.clear,
  }
}
