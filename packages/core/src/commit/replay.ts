import { Refusal } from '@merchant-payments/contract'
import type { Deps } from '../deps.ts'
import { findReplay } from './answers.ts'
import type { Answer, KeyClaim } from './key.ts'

/** Statements read such answers together (see `readTogether`). A larger one is replayed by its command. */
const REPLAYED_LENGTH_MAX = 32_768

/**
 * Runs a command, unless this process has answered the same request before: then its stored answer is read. A command would
 * try to claim the key, which locks its row and waits for the disk. All other checks of a replay stay with the command.
 */
export async function replayOr(
  { db, writes, clock }: Pick<Deps, 'db' | 'writes' | 'clock'>,
  claim: KeyClaim,
  run: () => Answer | Promise<Answer>,
): Promise<Answer> {
  if (writes.seen.has(claim)) {
    const before = await findReplay(db.reader, { claim, nowMs: clock() })
    if (before !== null) return before
  }
  try {
    const answer = await run()
    if (answer.body.length <= REPLAYED_LENGTH_MAX) writes.seen.add(claim)
    return answer
  } catch (error) {
    if (error instanceof Refusal && error.kind.stored) writes.seen.add(claim)
    throw error
  }
}
