import type { Bench } from './bench.ts'
import { type Figure, figureOf, type Target } from './figure.ts'
import { measuredPaths, type PathName } from './paths/index.ts'
import { seatParties } from './turns.ts'

/** What the bench aims at: the growth of the tables takes a fifth of a path's rate, or adds a quarter to its time. */
export const GROWN_TARGET: Target = { ratioMin: 0.8 }

/** The paths that use the database, except neighbours, which fill their own tables. */
export const comparedPaths: readonly PathName[] = [
  'create',
  'read',
  'resources',
  'token',
  'payments',
  'latency',
]

interface Sides {
  readonly ours: Bench
  readonly peer: Bench
}

/** Runs a path against both systems, round by round in turn. */
export async function compare(
  { ours, peer }: Sides,
  path: PathName,
  target: Target | null,
): Promise<Figure[]> {
  const benches = [peer, ours]
  const parties = seatParties(benches.length)
  const [before = [], after = []] = await Promise.all(
    benches.map(async (bench, n) => {
      const party = parties[n]
      if (party === undefined) throw new Error('a bench has no turn')
      try {
        return await measuredPaths[path]({ ...bench, turn: party.turn })
      } finally {
        party.leave()
      }
    }),
  )
  const figures = new Map<string, Figure>()
  for (const [n, { name, unit, rounds }] of after.entries()) {
    if (unit !== '/s' && unit !== 'ms' && unit !== 'us') continue
    // Without the path's own peer, because the other system is the peer here.
    const [plain = name] = name.split(' / ')
    figures.set(
      plain,
      figureOf({
        name: plain,
        unit,
        ours: rounds.ours,
        peer: before[n]?.rounds.ours,
        // Processor times explain the figures that have a target.
        target: unit === 'us' ? null : target,
      }),
    )
  }
  return [...figures.values()]
}
