import type { MockClock } from '../clock.ts'
import type { Ledger } from '../ledger.ts'
import type { Schedule } from '../schedule.ts'
import type { SettingsStore } from '../settings.ts'
import { announceFinal } from './announce.ts'
import { createCallbacks } from './callbacks.ts'
import type { Callbacks } from './callbacks.ts'
import { createCredentials } from './credentials.ts'
import type { Credentials } from './credentials.ts'
import { movingAmount } from './payment.ts'
import type { Payment } from './payment.ts'
import { createPayments } from './payments.ts'
import type { Payments } from './payments.ts'

export type Mtn = {
  readonly credentials: Credentials
  readonly callbacks: Callbacks
  readonly charges: Payments
  readonly transfers: Payments
  readonly clear: () => void
}

export type MtnCore = {
  readonly clock: MockClock
  readonly schedule: Schedule
  readonly settings: SettingsStore
  readonly ledger: Ledger
}

const FIRST_TRANSACTION_ID = 1_000_000_000

/** The state of MTN's side: who may call, what was asked, and who is told. */
export function createMtn(core: MtnCore): Mtn {
  const callbacks = createCallbacks(core.clock)
  const credentials = createCredentials(core)
  let transactionId = FIRST_TRANSACTION_ID
  const shared = { ...core, nextTransactionId: () => `${transactionId++}` }
  const announcing = { settings: core.settings, callbacks }
  const charges = createPayments({
    ...shared,
    onMoved: (charge) => core.ledger.recordDebit(movementOf(charge, core.clock.now())),
    onFinal: (charge) => announceFinal(announcing, charge, 'payer'),
  })
  const transfers = createPayments({
    ...shared,
    onMoved: (transfer) => core.ledger.recordCredit(movementOf(transfer, core.clock.now())),
    onFinal: (transfer) => announceFinal(announcing, transfer, 'payee'),
  })
  return {
    credentials,
    callbacks,
    charges,
    transfers,
    clear: () => {
      for (const part of [credentials, callbacks, charges, transfers]) part.clear()
    },
  }
}

function movementOf(payment: Payment, atMs: number) {
  const { reference, externalId, currency, msisdn } = payment
  return { reference, externalId, amount: movingAmount(payment), currency, msisdn, atMs }
}
