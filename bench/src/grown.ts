import type { Bench } from './bench.ts'
import { type Figure, figureOf } from './figure.ts'
import { measuredPaths, type PathName } from './paths/index.ts'
import { seatParties } from './turns.ts'

/** What the bench aims at: the growth of the tables takes a fifth of a path's rate, or adds a quarter to its time. */
const TARGET = { ratioMin: 0.8 }

/** The paths that use the database, but for neighbours, which grow the tables of their own. */
export const grownPaths: readonly PathName[] = ['create', 'read', 'resources', 'token', 'payments', 'latency']

/** Runs a path against both databases, round by round in turn. */
export async function compareGrown(empty: Bench, grown: Bench, path: PathName): Promise<Figure[]> {
  const benches = [empty, grown]
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
    if (unit !== '/s' && unit !== 'ms') continue
    // Without the peer, which is the empty database here.
    const [plain = name] = name.split(' / ')
    const peer = before[n]?.rounds.ours
    figures.set(plain, figureOf({ name: plain, unit, ours: rounds.ours, peer, target: TARGET }))
  }
  return [...figures.values()]
}
