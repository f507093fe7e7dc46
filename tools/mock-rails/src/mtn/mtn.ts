import type { RailCore } from '../rails.ts'
import { announceFinal } from './announce.ts'
import { createCredentials } from './credentials.ts'
import type { Credentials } from './credentials.ts'
import { movingAmount } from './payment.ts'
import type { Payment } from './payment.ts'
import { createPayments } from './payments.ts'
import type { Payments } from './payments.ts'

export type Mtn = {
  readonly credentials: Credentials
  readonly charges: Payments
  readonly transfers: Payments
  readonly clear: () => void
}

const FIRST_TRANSACTION_ID = 1_000_000_000

export function createMtn(core: RailCore): Mtn {
  const credentials = createCredentials(core)
  let transactionId = FIRST_TRANSACTION_ID
  const shared = { ...core, nextTransactionId: () => `${transactionId++}` }
  const charges = createPayments({
    ...shared,
    onMoved: (charge) => core.ledger.recordDebit(movementOf(charge, core.clock.now())),
    onFinal: (charge) => announceFinal(core, charge, 'payer'),
  })
  const transfers = createPayments({
    ...shared,
    onMoved: (transfer) => core.ledger.recordCredit(movementOf(transfer, core.clock.now())),
    onFinal: (transfer) => announceFinal(core, transfer, 'payee'),
  })
  return {
    credentials,
    charges,
    transfers,
    clear: () => {
      for (const part of [credentials, charges, transfers]) part.clear()
    },
  }
}

function movementOf(payment: Payment, atMs: number) {
  const { rail, reference, externalId, currency, msisdn } = payment
  return { rail, reference, externalId, amount: movingAmount(payment), currency, msisdn, atMs }
}
