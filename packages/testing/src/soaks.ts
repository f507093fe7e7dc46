import { randomInt } from 'node:crypto'

/** A test whose worth grows with its size. `pnpm test` runs it at smoke size, `pnpm test:soak` in full. */
interface Soak {
  readonly smoke: number
  readonly full: number
  /** The variable of the environment that sets another size. */
  readonly variable: string
}

export const soaks = {
  /**
   * Random steps that are compared with the books. Each step is checked at either size. Smoke takes most operations and
   * refusals; the full run fails if it missed one.
   */
  modelSteps: { smoke: 1_500, full: 6_000, variable: 'MODEL_STEPS' },
  /**
   * Random payments in one process. Either size checks every payment against the rails' ledger and every invariant. The
   * full run also fails if a fault, an ending or a callback never occurred.
   */
  randomPayments: { smoke: 400, full: 2_000, variable: 'RANDOM_PAYMENTS' },
  /** Random payments while processes are killed. Either size checks every payment; smoke has fewer kills. */
  randomKillPayments: { smoke: 60, full: 300, variable: 'RANDOM_KILL_PAYMENTS' },
  /** Failovers under payments. Either size checks every payment, replays every answer and bounds the wait for a write. */
  failovers: { smoke: 1, full: 4, variable: 'FAILOVERS' },
  /** At how many passings of each fault point a process is killed: the first, and in full the second too. */
  killsPerFaultPoint: { smoke: 1, full: 2, variable: 'KILLS_PER_FAULT_POINT' },
  /**
   * Deliveries that a bulk action sends again while new events arrive. Either size checks each delivery, each audit entry
   * and the delay of each new event.
   */
  bulkDeliveries: { smoke: 2_000, full: 10_000, variable: 'BULK_DELIVERIES' },
  /** Random requests to every route. Either size reaches each route and meets every status. */
  fuzzRequests: { smoke: 1_000, full: 3_000, variable: 'FUZZ_REQUESTS' },
  /** Random token requests, each signed. Either size takes every step alone and meets every refusal. */
  tokenFuzzRequests: { smoke: 1_000, full: 3_000, variable: 'TOKEN_FUZZ_REQUESTS' },
  /** Random orders in which the statements of a few days are uploaded and compared. Either size checks each end. */
  statementOrders: { smoke: 25, full: 400, variable: 'STATEMENT_ORDERS' },
} as const satisfies Record<string, Soak>

/** The same in every run, so that `pnpm test` fails for a change of the code alone. */
const SMOKE_SEED = 1
const SEED_MAX = 2 ** 30

export interface SoakRun {
  readonly size: number
  /** Print it in a test's name: `RANDOM_SEED` makes the run again. */
  readonly seed: number
  /** Whether the run is full size. A full run also fails if it missed a case. */
  readonly isFull: boolean
}

/** How much of a soak this run is for. A run of another size than smoke has a random seed. */
export function soakOf(name: keyof typeof soaks): SoakRun {
  const { smoke, full, variable } = soaks[name]
  const asked = process.env[variable] ?? (process.env['SOAK'] === 'full' ? full : undefined)
  const size = Number(asked ?? smoke)
  const seed = Number(process.env['RANDOM_SEED'] ?? (asked === undefined ? SMOKE_SEED : randomInt(SEED_MAX)))
  return { size, seed, isFull: size >= full }
}
