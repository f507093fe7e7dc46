import { returnLedger } from '../src/charge-returns/instruct.ts'
import {
  checkPayouts,
  claimDuePayouts,
  INSTRUCT_BATCH_MAX,
  type InstructDeps,
} from '../src/payouts/instruct.ts'
import type { RailPart } from '../src/queue/rail-parts.ts'
import { refundLedger } from '../src/refunds/instruct.ts'
import type { SettleDeps } from '../src/settlement/jobs.ts'
import { claimDueCharges, SETTLE_BATCH_MAX, settlePart } from '../src/settlement/settle.ts'

/** What a pass of the worker did: how many items it claimed, and how many of them moved. */
export interface PassCounts {
  readonly claimed: number
  readonly moved: number
}

/** Claims the charges that are due and settles each rail's part. It returns when all rails have answered. */
export async function settleCharges(deps: SettleDeps, limit = SETTLE_BATCH_MAX): Promise<PassCounts> {
  const parts = await claimDueCharges(deps, { limit, lost: new Set() })
  return workOn(parts, (part) => settlePart(deps, part))
}

/** Claims the refunds that are due and sends each to its rail, or asks the rail about it. */
export async function instructRefunds(deps: InstructDeps, limit = INSTRUCT_BATCH_MAX): Promise<PassCounts> {
  const parts = await claimDuePayouts(deps, refundLedger, { limit, lost: new Set() })
  return workOn(parts, (part) => checkPayouts(deps, refundLedger, part))
}

/** Does the same for the returns of duplicate charges. */
export async function instructReturns(deps: InstructDeps): Promise<PassCounts> {
  const parts = await claimDuePayouts(deps, returnLedger, { limit: INSTRUCT_BATCH_MAX, lost: new Set() })
  return workOn(parts, (part) => checkPayouts(deps, returnLedger, part))
}

async function workOn<Item>(
  parts: readonly RailPart<Item>[],
  work: (part: RailPart<Item>) => Promise<number>,
): Promise<PassCounts> {
  const moved = await Promise.all(parts.map(work))
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)
  return { claimed: sum(parts.map(({ items }) => items.length)), moved: sum(moved) }
}
