import type { RailCore } from '../rails.ts'
import { announceDecision } from './announce.ts'
import { createCredentials } from './credentials.ts'
import type { OrangeCredentials } from './credentials.ts'
import type { OrangePayment } from './payment.ts'
import { createOrangePayments } from './payments.ts'
import type { OrangePayments } from './payments.ts'
import { ANY_PAYER } from './scenarios.ts'

export type Orange = {
  readonly credentials: OrangeCredentials
  readonly payments: OrangePayments
  readonly clear: () => void
}

export function createOrange(core: RailCore): Orange {
  const credentials = createCredentials(core)
  let transactions = 0
  const payments = createOrangePayments({
    ...core,
    nextTransactionId: () => transactionId(core.clock.now(), ++transactions),
    onMoved: (payment) => core.ledger.recordDebit(movementOf(payment, core.clock.now())),
    onDecided: (payment) => announceDecision(core, payment),
  })
  return {
    credentials,
    payments,
    clear: () => {
      credentials.revokeTokens()
      payments.clear()
    },
  }
}

function transactionId(atMs: number, count: number): string {
  const [, date = '', time = ''] = /^\d\d(.{8})T(.{5})/.exec(new Date(atMs).toISOString()) ?? []
  return `MP${date.replaceAll('-', '')}.${time.replace(':', '')}.A${`${count}`.padStart(5, '0')}`
}

function movementOf(payment: OrangePayment, atMs: number) {
  const { rail, reference, externalId, amount, currency, msisdn } = payment
  return { rail, reference, externalId, amount, currency, msisdn: msisdn ?? ANY_PAYER, atMs }
}
