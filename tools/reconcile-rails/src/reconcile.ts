import {
  type AskResult,
  askRailAbout,
  type Clock,
  findKnown,
  type Finding,
  isFinal,
  type Operator,
  type RailAdapter,
  type Rails,
  recordFinding,
  type Sighting,
} from '@merchant-payments/core'
import type { Database } from '@merchant-payments/db'
import { paced } from './pace.ts'

/** References looked up and asked about together, so that what was found is recorded before the next are read. */
const BATCH = 500
/** docs/spec-gaps.md, restore: status queries under way at one rail. The worker's go on beside them. */
const ASKS_AT_ONCE = 4

export interface Reconciling {
  readonly db: Database
  readonly rails: Rails
  readonly clock: Clock
  readonly perSecond: number
  /** Null for a dry run. */
  readonly operator: Operator | null
  readonly say: (line: string) => void
}

export interface Report {
  /** References of this database, which are paid or which the worker looks after. */
  known: number
  /** Recorded by an earlier run with a final answer. */
  recordedBefore: number
  asked: number
  /** References whose rails do not answer for a reference alone. */
  unasked: number
  unavailable: number
  recorded: number
  /** The newest audit entry. */
  entry: string | null
}

/** Asks rails about the references that the worker does not look after. Writes only with an operator. */
export async function reconcile(on: Reconciling, sightings: readonly Sighting[]): Promise<Report> {
  const report: Report = {
    known: 0,
    recordedBefore: 0,
    asked: 0,
    unasked: 0,
    unavailable: 0,
    recorded: 0,
    entry: null,
  }
  for (let from = 0; from < sightings.length; from += BATCH) {
    const open = await openOf(on, sightings.slice(from, from + BATCH), report)
    const byRail = [...Map.groupBy(open, ({ rail }) => rail)]
    await Promise.all(
      byRail.map(([code, some]) => {
        const rail = on.rails.get(code)
        if (rail === undefined) throw new Error(`the rail ${code} is not configured`)
        return askAll(on, rail, some, report)
      }),
    )
  }
  return report
}

async function openOf(
  { db, rails }: Reconciling,
  batch: readonly Sighting[],
  report: Report,
): Promise<readonly Sighting[]> {
  const byToken = [...rails.values()].filter(({ capabilities }) => capabilities.queriedBy === 'token')
  const had = await findKnown(
    db.reader,
    batch,
    byToken.map(({ code }) => code),
  )
  return batch.filter((_, n) => {
    const { known, answer } = had[n] ?? { known: false, answer: null }
    const isRecorded = !known && answer !== null && isFinal(answer)
    if (known) report.known += 1
    if (isRecorded) report.recordedBefore += 1
    return !known && !isRecorded
  })
}

async function askAll(
  on: Reconciling,
  rail: RailAdapter,
  some: readonly Sighting[],
  report: Report,
): Promise<void> {
  await paced(some, { atOnce: ASKS_AT_ONCE, perSecond: on.perSecond }, async (sighting) => {
    const asked = await askRailAbout(rail, sighting)
    if (asked === 'unavailable') report.unavailable += 1
    else if (asked.answer === 'unasked') report.unasked += 1
    else report.asked += 1
    const entry =
      asked === 'unavailable' || on.operator === null ? null : await recordFinding(on, asked, on.operator)
    if (entry !== null) {
      report.recorded += 1
      report.entry = entry
    }
    on.say(lineOf(sighting, asked, entry))
  })
}

function lineOf({ rail, kind, reference }: Sighting, asked: AskResult, entry: string | null): string {
  const what = `${rail} ${kind} ${reference}`
  if (asked === 'unavailable') return `${what}: the rail did not answer`
  const written = entry === null ? [] : [`recorded as ${entry}`]
  return [`${what}: ${asked.answer}`, ...moneyOf(asked), ...ownerOf(asked), ...written].join(', ')
}

function moneyOf({ amountMinor, currency, transactionId }: Finding): string[] {
  const money = amountMinor === null ? [] : [`${amountMinor} ${currency ?? ''}`.trim()]
  return transactionId === null ? money : [...money, `transaction ${transactionId}`]
}

function ownerOf({ object, merchant }: Finding): string[] {
  const owner = [object, merchant === null ? null : `of ${merchant}`].filter((text) => text !== null)
  return owner.length === 0 ? [] : [owner.join(' ')]
}
