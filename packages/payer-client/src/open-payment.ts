import { createAttempts } from './attempts.ts'
import type { PayerClient } from './client.ts'
import { followPayment } from './payment.ts'
import { createReads } from './reads.ts'
import type { PaymentDeps } from './run.ts'
import { type PayerClientOptions, readSettings } from './settings.ts'
import { sharePayments } from './shared-run.ts'

/** The parts of a client that the form needs too. */
export interface OpenPayment extends Pick<PayerClient, 'pay' | 'resume' | 'checkNow'> {
  readonly deps: PaymentDeps
}

export function openPayment(options: PayerClientOptions): OpenPayment {
  const settings = readSettings(options)
  const { storage, clock, mintKey } = settings
  const reads = createReads(settings)
  const attempts = createAttempts({ storage, now: () => clock.now(), mintKey })
  const deps: PaymentDeps = { ...settings, reads, attempts, nudges: new Set() }

  return {
    deps,
    pay: sharePayments(deps),
    resume: async (options = {}) => followPayment(deps, null, options),
    checkNow: () => {
      for (const nudge of deps.nudges) nudge()
    },
  }
}
