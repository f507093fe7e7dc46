import type { Deps } from '../deps.ts'

/** The values of the walk's columns in one row, as text. */
export type Place = readonly string[]

/** Several runs over all rows that were due at its beginning. A row that becomes due later waits for the next round. */
export interface Round {
  readonly untilMs: number
  /** Null at the beginning. */
  readonly after: Place | null
}

/** Where a sweep is. Each process keeps its own in memory. */
export interface Walk {
  /** Null if the next run begins a round. */
  round: Round | null
}

export const newWalk = (): Walk => ({ round: null })

export interface Step<Row> {
  readonly found: readonly Row[]
  /** Null at the end of the round. */
  readonly next: Place | null
}

interface StepOf<Row> {
  readonly find: (round: Round) => Promise<Step<Row>>
  readonly write: (found: readonly Row[]) => Promise<number>
}

interface Stepped {
  readonly written: number
  /** Whether the round goes on, also if nothing was written. It ends, because each step goes further. */
  readonly full: boolean
}

/**
 * Takes a round's next step. Rows that it leaves, because they must wait or another transaction holds them, are read again in
 * the next round. A step that throws is repeated.
 */
export async function takeStep<Row>(
  { clock }: Pick<Deps, 'clock'>,
  walk: Walk,
  { find, write }: StepOf<Row>,
): Promise<Stepped> {
  const round = walk.round ?? { untilMs: clock(), after: null }
  walk.round = round
  const { found, next } = await find(round)
  const written = found.length === 0 ? 0 : await write(found)
  walk.round = next === null ? null : { ...round, after: next }
  return { written, full: next !== null }
}
