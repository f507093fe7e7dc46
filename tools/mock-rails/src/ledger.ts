import { createBoundedLog } from './bounded.ts'
import type { RailName } from './settings.ts'

/** One movement of money per entry. The sum of a reference's debits is what its payer lost. */
export type Movement = {
  readonly rail: RailName
  readonly reference: string
  readonly externalId: string | null
  readonly amount: string
  readonly currency: string
  readonly msisdn: string
  readonly atMs: number
}

export type Prompt = {
  readonly reference: string
  readonly msisdn: string
  readonly amount: string
  readonly currency: string
  /** The name of the account that is paid. */
  readonly payee: string | null
  readonly message: string
  readonly shownAtMs: number
}

export type LedgerView = {
  readonly debits: readonly Movement[]
  readonly credits: readonly Movement[]
  readonly debitCount: number
  readonly creditCount: number
  /** Above 0, the lists are incomplete and must not be used as evidence. */
  readonly debitsDropped: number
  readonly creditsDropped: number
}

export type Ledger = {
  readonly recordDebit: (debit: Movement) => void
  readonly recordCredit: (credit: Movement) => void
  readonly recordPrompt: (prompt: Prompt) => void
  readonly view: (limit: number) => LedgerView
  readonly prompts: (limit: number, msisdn?: string) => Prompt[]
  readonly clear: () => void
}

const MAX_MOVEMENTS = 500_000
const MAX_PROMPTS = 100_000

/** A ledger that only records. A double debit would appear twice, for a test to find. */
export function createLedger(): Ledger {
  const debits = createBoundedLog<Movement>(MAX_MOVEMENTS)
  const credits = createBoundedLog<Movement>(MAX_MOVEMENTS)
  const prompts = createBoundedLog<Prompt>(MAX_PROMPTS)
  return {
    recordDebit: debits.append,
    recordCredit: credits.append,
    recordPrompt: prompts.append,
    view: (limit) => ({
      debits: debits.newest(limit),
      credits: credits.newest(limit),
      debitCount: debits.count(),
      creditCount: credits.count(),
      debitsDropped: debits.dropped(),
      creditsDropped: credits.dropped(),
    }),
    prompts: (limit, msisdn) =>
      prompts.newest(limit, (prompt) => msisdn === undefined || prompt.msisdn === msisdn),
    clear: () => {
      debits.clear()
      credits.clear()
      prompts.clear()
    },
  }
}
