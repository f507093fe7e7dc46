import type { Bench } from '../bench.ts'
import { type Figure, figureOf } from '../figure.ts'
import { openMerchant } from '../load/merchant.ts'
import { fillLog } from '../system/database.ts'
import { NEIGHBOUR } from '../system/deployment.ts'
import { makeBigInvoices } from './neighbour-invoices.ts'
import { type Waits, waits, workForRound } from './neighbour-load.ts'
import { type Disturb, noisesOf } from './neighbour-noises.ts'

/** At most twice as slow as alone. */
const TARGET = { ratioMin: 0.5 }

const alone: Disturb = () => Promise.resolve(() => Promise.resolve())

/** A merchant's ordinary work, alone and beside each noise of a neighbour: the waits at the 99th percentile. */
export async function measureNeighbours(bench: Bench): Promise<Figure[]> {
  const { plan } = bench
  const neighbour = await openMerchant(bench, NEIGHBOUR)
  if (bench.noises.includes('lists')) await makeBigInvoices(bench, neighbour)
  await fillLog(bench.system.database, plan.neighbourLogMb)
  const noises = noisesOf(bench, neighbour)
  const conditions = [['alone', alone] as const, ...noises]
  const rounds = new Map<string, Waits[]>(conditions.map(([name]) => [name, []]))
  // The first round is a warm-up and does not count: what a noise runs for the first time is not compiled yet.
  for (let round = 0; round <= plan.neighbourRounds; round += 1) {
    // The order changes each round, so that other load on the machine affects all conditions equally.
    const at = round % conditions.length
    for (const [n, [name, disturb]] of [...conditions.slice(at), ...conditions.slice(0, at)].entries()) {
      const end = await disturb(1 + round * conditions.length + n)
      const measured = await workForRound(bench, plan.neighbourRoundMs)
      await end()
      if (round > 0) rounds.get(name)?.push(measured)
    }
  }
  const of = (name: string, wait: (typeof waits)[number]) =>
    (rounds.get(name) ?? []).map((round) => round[wait])
  return waits.flatMap((wait) => [
    figureOf({ name: `${wait} p99, alone`, unit: 'ms', ours: of('alone', wait) }),
    ...[...noises.keys()].map((name) =>
      figureOf({
        name: `${wait} p99, while ${name} / alone`,
        unit: 'ms',
        ours: of(name, wait),
        peer: of('alone', wait),
        target: TARGET,
      }),
    ),
  ])
}
