import { type Deps, readUndecided } from '@merchant-payments/core'
import type { Metrics } from '@merchant-payments/telemetry'

/** Shows a zero for each configured rail, so that a rail which has decided everything is told from one that is not read. */
export function collectUndecided(
  metrics: Metrics,
  { db, rails, clock }: Pick<Deps, 'db' | 'rails' | 'clock'>,
): void {
  let reading: ReturnType<typeof readUndecided> | null = null
  // A scrape reads both gauges at once, so they share one statement.
  const undecided = async () => {
    reading ??= readUndecided(db.reader, rails, clock()).finally(() => {
      reading = null
    })
    const rows = await reading
    return [...rails.keys()].map((rail) => ({ rail, row: rows.find((row) => row.rail === rail) }))
  }
  metrics.gauge(
    'charges_undecided',
    'Open charges whose approval window ended more than 20 minutes ago, up to ten thousand; of all ages, or since when.',
    ['rail', 'within'],
    async () =>
      (await undecided()).flatMap(({ rail, row }) => [
        { labels: { rail, within: 'ever' }, value: row?.waiting ?? 0 },
        { labels: { rail, within: '1h' }, value: row?.withinHour ?? 0 },
        { labels: { rail, within: '6h' }, value: row?.withinSixHours ?? 0 },
      ]),
  )
  metrics.gauge(
    'charges_undecided_oldest_seconds',
    'Age in seconds of the oldest of these charges.',
    ['rail'],
    async () =>
      (await undecided()).map(({ rail, row }) => ({
        labels: { rail },
        value: row === undefined ? 0 : (clock() - row.oldestOpenedAtMs) / 1_000,
      })),
  )
}
