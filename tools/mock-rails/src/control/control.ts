import type { CallbackRecord } from '../callbacks.ts'
import type { LedgerView, Prompt } from '../ledger.ts'
import type { PaymentState, PaymentView } from '../mtn/payment.ts'
import type { OrangePaymentView } from '../orange/payment.ts'
import type { RailName, Settings, SettingsPatch } from '../settings.ts'
import type { Call } from '../wire/calls.ts'
import type { Fault, FaultInput } from '../wire/faults.ts'

/** A charge of either rail. `rail` determines the values of its state. */
export type ChargeView = PaymentView | OrangePaymentView

export type PromptView = Prompt & { readonly state: PaymentState | 'FORGOTTEN' }

export type ClockView = { readonly nowMs: number; readonly offsetMs: number }

/** The scenarios of one number ending, per operation; null where the operation has none. */
export type ScenarioRow = {
  readonly suffix: string
  readonly charge: string | null
  readonly transfer: string | null
  readonly accountHolder: string | null
  readonly orange: string | null
}

type Limit = { readonly limit?: number }
type ChargesQuery = Limit & { readonly msisdn?: string; readonly rail?: RailName }

/** The control plane of a mock. Lists hold the newest entries, oldest first. */
export type MockRailsControl = {
  readonly getSettings: () => Promise<Settings>
  readonly updateSettings: (patch: SettingsPatch) => Promise<Settings>
  readonly listScenarios: () => Promise<ScenarioRow[]>
  readonly getLedger: (query?: Limit) => Promise<LedgerView>
  readonly listCharges: (query?: ChargesQuery) => Promise<ChargeView[]>
  /** Finds by MTN's reference, Orange's order_id or its pay_token, as do the next three. */
  readonly findCharge: (reference: string) => Promise<ChargeView | undefined>
  readonly approveCharge: (reference: string) => Promise<ChargeView>
  readonly refuseCharge: (reference: string) => Promise<ChargeView>
  readonly expireCharge: (reference: string) => Promise<ChargeView>
  readonly listTransfers: (query?: Limit & { readonly msisdn?: string }) => Promise<PaymentView[]>
  readonly findTransfer: (reference: string) => Promise<PaymentView | undefined>
  readonly listPrompts: (query?: Limit & { readonly msisdn?: string }) => Promise<PromptView[]>
  readonly listCalls: (query?: Limit & { readonly operation?: Call['operation'] }) => Promise<Call[]>
  readonly listCallbacks: (query?: Limit & { readonly reference?: string }) => Promise<CallbackRecord[]>
  readonly listFaults: () => Promise<Fault[]>
  readonly addFault: (fault: FaultInput) => Promise<Fault[]>
  readonly clearFaults: () => Promise<Fault[]>
  readonly revokeTokens: () => Promise<void>
  readonly getClock: () => Promise<ClockView>
  readonly advanceClock: (advanceMs: number) => Promise<ClockView>
  readonly reset: () => Promise<void>
}

export class MockRailsError extends Error {
  override readonly name = 'MockRailsError'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}
