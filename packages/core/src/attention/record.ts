import type { Alert } from '../base/alerts.ts'
import { idOf, mintId, uuidOf } from '../base/ids.ts'
import type { Deps } from '../deps.ts'
import { isOfWaiting, runBatch } from '../queue/run-batch.ts'
import { sweepRows } from '../queue/sweep-rows.ts'
import { raisedOf } from '../base/raised.ts'
import type { Recorded, Waiting } from './item.ts'
import { findRaisedAlerts, takeRaisedAlerts, upsertRaised } from './store.ts'

/** docs/spec-gaps.md, staff: alerts that wait for their rows. Others are in the log alone. */
const RAISED_MAX = 1_000
/** Rows that one statement writes. It looks for an object whose merchant is not known at every merchant. */
const RECORDED_MAX = 50
/** docs/spec-gaps.md, staff: how often a row is tried that waits too long, alone. */
const TRIES_MAX = 5

/** Keeps alerts about objects that no change of theirs writes, until they are written. */
export interface AttentionBuffer {
  readonly alert: Alert
  /** Takes up to `max` of them, oldest first. */
  readonly take: (max: number) => Waiting[]
  readonly putBack: (waiting: readonly Waiting[]) => void
}

/** @param next also gets each alert, for its log line and its metric */
export function bufferAttention(next: Alert): AttentionBuffer {
  const queue: Waiting[] = []
  const add = (waiting: Waiting): void => {
    if (queue.length < RAISED_MAX) queue.push(waiting)
  }
  return {
    alert: (name, facts, owner, lookedAtMs, itemFrom = 'alert') => {
      next(name, facts, owner)
      if (itemFrom === 'change') return
      const raised = raisedOf(name, facts, { owner: owner ?? null, lookedAtMs: lookedAtMs ?? null })
      if (raised !== null) add({ ...raised, times: 1, tries: 0 })
    },
    take: (max) => queue.splice(0, max),
    putBack: (waiting) => {
      for (const one of waiting) add(one)
    },
  }
}

/** @returns how many alerts were taken. Those that are not written are tried again, or are in the log alone. */
export async function recordAttention(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  buffer: AttentionBuffer,
): Promise<{ written: number; full: boolean }> {
  const taken = buffer.take(RECORDED_MAX)
  const nowMs = clock()
  const left = new Set(newestOfEach(taken, () => mintId('att', nowMs)))
  try {
    await runBatch<Recorded, void>([...left], {
      write: async (some) => {
        await upsertRaised(db.writer, some, nowMs)
        return some.map((item) => void left.delete(item))
      },
      onRefused: async (item, error) => {
        left.delete(item)
        const tries = item.tries + 1
        if (isOfWaiting(error) && tries < TRIES_MAX) buffer.putBack([{ ...item, tries }])
      },
    })
  } catch (error) {
    buffer.putBack([...left])
    throw error
  }
  return { written: taken.length, full: taken.length === RECORDED_MAX }
}

/**
 * Makes items of the alerts that changes wrote with them. An item that a person holds delays neither the change nor
 * other items.
 */
export async function recordRaised(
  deps: Pick<Deps, 'db' | 'clock' | 'alert'>,
): Promise<{ written: number; full: boolean }> {
  const { db, clock } = deps
  const found = await findRaisedAlerts(db.reader, clock(), RECORDED_MAX)
  const written = await sweepRows(deps, found, {
    sweep: 'record-attention',
    write: (some) => takeRaisedAlerts(db.writer, some, clock()),
    keyOf: (id) => uuidOf(idOf('att', id)),
    idOf: (id) => idOf('att', id),
  })
  return { written, full: found.length === RECORDED_MAX && written > 0 }
}

/** One row for an alert about an object, because a statement must not change a row twice. */
function newestOfEach(taken: readonly Waiting[], mint: () => string): Recorded[] {
  const rows = new Map<string, Recorded>()
  for (const one of taken) {
    const key = `${one.alert} ${one.object}`
    const before = rows.get(key)
    rows.set(key, {
      ...one,
      id: before?.id ?? mint(),
      // The look before the first of them tells whether the cause lasted until then.
      lookedAtMs: before === undefined ? one.lookedAtMs : before.lookedAtMs,
      times: (before?.times ?? 0) + one.times,
      tries: Math.max(before?.tries ?? 0, one.tries),
    })
  }
  // Ascending, so that two workers never wait for each other.
  return [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
}
