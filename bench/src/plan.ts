/** How much is measured. Only the figures of a full run may be quoted. */
export interface Plan {
  readonly rounds: number
  readonly roundMs: number
  readonly resourceRounds: number
  readonly resourceRoundMs: number
  /** The api remembers for two seconds which merchants sent requests. */
  readonly counterPauseMs: number
  /** Longer, because whole payments need time to reach a steady state. */
  readonly paymentRoundMs: number
  readonly tokensPerRound: number
  readonly latencyPayments: number
  readonly latencyEveryMs: number
  /** A worker polls quickly for a minute after its last payment. */
  readonly restAfterMs: number
  /** One round of the sweeps that run each minute, and of autovacuum. */
  readonly restMs: number
  readonly verificationsPerRound: number
  readonly importRounds: number
  readonly neighbourRounds: number
  readonly neighbourRoundMs: number
  /** The log that is written before the rounds, so that its files are reused and none is filled during them. */
  readonly neighbourLogMb: number
  /** After so many rows were inserted, a disk may be busy for seconds: a flush took 140 ms then. */
  readonly neighbourPauseMs: number
  readonly neighbourEveryMs: number
  readonly neighbourPayEveryMs: number
  /** The payments of the customer to be erased, and those due at the hanging rail. */
  readonly neighbourPayments: number
  readonly neighbourInvoices: number
  readonly neighbourLines: number
  readonly writesPayments: number
  readonly steadyMinuteMs: number
  readonly steadyEveryMs: number
  /** How often each read of staff is made. */
  readonly staffSamples: number
}

export const fullPlan: Plan = {
  rounds: 5,
  roundMs: 3_000,
  resourceRounds: 3,
  resourceRoundMs: 1_000,
  counterPauseMs: 2_100,
  paymentRoundMs: 8_000,
  tokensPerRound: 5_000,
  latencyPayments: 100,
  latencyEveryMs: 400,
  restAfterMs: 75_000,
  restMs: 60_000,
  verificationsPerRound: 50_000,
  importRounds: 7,
  neighbourRounds: 3,
  neighbourRoundMs: 16_000,
  neighbourLogMb: 4_000,
  neighbourPauseMs: 5_000,
  neighbourEveryMs: 20,
  neighbourPayEveryMs: 200,
  neighbourPayments: 300_000,
  neighbourInvoices: 20,
  neighbourLines: 250,
  writesPayments: 2_000,
  steadyMinuteMs: 60_000,
  steadyEveryMs: 25,
  staffSamples: 10,
}

/** Proves that everything runs and that the ledger balances. Its figures mean nothing. */
export const quickPlan: Plan = {
  rounds: 1,
  roundMs: 100,
  resourceRounds: 1,
  resourceRoundMs: 40,
  counterPauseMs: 0,
  paymentRoundMs: 100,
  tokensPerRound: 20,
  latencyPayments: 3,
  latencyEveryMs: 100,
  restAfterMs: 100,
  restMs: 200,
  verificationsPerRound: 50,
  importRounds: 1,
  neighbourRounds: 1,
  neighbourRoundMs: 400,
  neighbourLogMb: 1,
  neighbourPauseMs: 0,
  neighbourEveryMs: 20,
  neighbourPayEveryMs: 200,
  neighbourPayments: 100,
  neighbourInvoices: 2,
  neighbourLines: 10,
  writesPayments: 20,
  steadyMinuteMs: 400,
  steadyEveryMs: 25,
  staffSamples: 1,
}
