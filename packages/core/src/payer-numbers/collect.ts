import { type Database, SETTLED_AFTER_MS, sqlState } from '@merchant-payments/db'
import { idOf, uuidFloorOf } from '../base/ids.ts'
import type { Deps } from '../deps.ts'
import { isOfWaiting } from '../base/refused-statements.ts'
import { runBatch } from '../queue/run-batch.ts'
import {
  addNumbersOf,
  advanceWalk,
  checkNumbers,
  findChargesAfter,
  type HeldWalk,
  readWalk,
  tryHoldWalk,
} from './store.ts'

/** docs/spec-gaps.md, staff: charges whose numbers one run collects. An erasure waits for as long as this takes. */
export const COLLECTED_MAX = 1_000
/** docs/spec-gaps.md, staff: numbers that one run checks for remaining charges. */
export const CHECKED_MAX = 50
type CollectDeps = Pick<Deps, 'db' | 'clock' | 'alert'>

interface CollectReport {
  readonly charges: number
  readonly full: boolean
}

/**
 * Collects the numbers that staff can search by digits from the middle. An erasure takes precedence: the run ends,
 * and the next run starts at the same charge.
 */
export async function collectPayerNumbers(deps: CollectDeps): Promise<CollectReport> {
  const { db, clock } = deps
  const { position } = await readWalk(db.reader)
  const beforeUuid = uuidFloorOf(clock() - SETTLED_AFTER_MS)
  const charges = await findChargesAfter(db.reader, position, beforeUuid, COLLECTED_MAX)
  const last = charges.at(-1)
  if (last !== undefined) {
    const isCollected =
      (await collect(deps, charges)) && (await holding(db, (held) => advanceWalk(held, position, last)))
    if (!isCollected) return { charges: 0, full: false }
  }
  await holding(db, (held) => checkNumbers(held, CHECKED_MAX))
  return { charges: charges.length, full: charges.length === COLLECTED_MAX }
}

/** Leaves out a charge that PostgreSQL refuses, with an alert. @returns false if the walk was held meanwhile */
async function collect(deps: CollectDeps, charges: readonly string[]): Promise<boolean> {
  const results = await runBatch<string, boolean>(charges, {
    db: deps.db,
    write: async (some, session) => [await holding(session, (held) => addNumbersOf(held, some))],
    ofRefused: (charge, error) => {
      if (isOfWaiting(error)) return false
      const row = idOf('ch', charge)
      deps.alert('row_refused', { pass: 'collect-payer-numbers', row, error: sqlState(error) })
      return true
    },
  })
  return results.every((isDone) => isDone)
}

/** @returns false if an erasure holds the walk */
const holding = (
  { transact }: Pick<Database, 'transact'>,
  work: (held: HeldWalk) => Promise<void>,
): Promise<boolean> =>
  transact(async (tx) => {
    const held = await tryHoldWalk(tx)
    if (held === null) return false
    await work(held)
    return true
  })
