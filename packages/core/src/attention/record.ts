import type { Alert } from '../base/alerts.ts'
import { mintId } from '../base/ids.ts'
import type { Deps } from '../deps.ts'
import { isOfWaiting, runBatch } from '../queue/run-batch.ts'
import { type Raised, raisedOf } from './item.ts'
import { upsertRaised } from './store.ts'

/** docs/spec-gaps.md, staff: alerts that wait for their rows. Others are in the log alone. */
const RAISED_MAX = 1_000
/** Rows that one statement writes. */
const RECORDED_MAX = 200

/** Keeps alerts about objects until they are written. */
export interface AttentionBuffer {
  readonly alert: Alert
  /** Takes up to `max` of them, oldest first. */
  readonly take: (max: number) => Raised[]
  readonly putBack: (raised: readonly Raised[]) => void
}

/** @param next also gets each alert, for its log line and its metric */
export function bufferAttention(next: Alert): AttentionBuffer {
  const waiting: Raised[] = []
  const add = (raised: Raised): void => {
    if (waiting.length < RAISED_MAX) waiting.push(raised)
  }
  return {
    alert: (name, facts) => {
      next(name, facts)
      const raised = raisedOf(name, facts)
      if (raised !== null) add(raised)
    },
    take: (max) => waiting.splice(0, max),
    putBack: (raised) => {
      for (const one of raised) add(one)
    },
  }
}

export async function recordAttention(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  buffer: AttentionBuffer,
): Promise<{ written: number; full: boolean }> {
  const raised = buffer.take(RECORDED_MAX)
  const nowMs = clock()
  try {
    await runBatch<Recorded, void>(
      newestOfEach(raised, () => mintId('att', nowMs)),
      {
        write: async (some) => {
          await upsertRaised(db.writer, some, nowMs)
          return some.map(() => undefined)
        },
        // An item that no row can hold has its log line alone.
        onRefused: async (item, error) => {
          if (isOfWaiting(error)) buffer.putBack([item])
        },
      },
    )
  } catch (error) {
    buffer.putBack(raised)
    throw error
  }
  return { written: raised.length, full: raised.length === RECORDED_MAX }
}

export interface Recorded extends Raised {
  readonly id: string
  readonly times: number
}

/** One row for an alert about an object, because a statement must not change a row twice. */
function newestOfEach(raised: readonly Raised[], mint: () => string): Recorded[] {
  const rows = new Map<string, Recorded>()
  for (const one of raised) {
    const key = `${one.alert} ${one.object}`
    const before = rows.get(key)
    rows.set(key, { ...one, id: before?.id ?? mint(), times: (before?.times ?? 0) + 1 })
  }
  // Ascending, so that two workers never wait for each other.
  return [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
}
