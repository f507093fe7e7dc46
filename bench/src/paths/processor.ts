import { setTimeout as delay } from 'node:timers/promises'
import type { Bench } from '../bench.ts'
import { nowMs } from '../clock.ts'
import { type Figure, figureOf } from '../figure.ts'
import { type Load, perSecond } from '../load/closed-loop.ts'
import type { Contestant } from '../rounds.ts'
import { type ProcessorTime, readProcessorTime } from '../system/processor-time.ts'

const US_PER_MS = 1_000
const processes = { api: 'api', worker: 'worker', postgres: 'PostgreSQL' } as const

interface Metered {
  readonly contestant: Contestant
  /** Empty before the second round, because the first is a warm-up, and on systems without /proc. */
  figures(): Figure[]
}

/**
 * Measures the processor time of one operation in each process. Other programs on the machine change it less than
 * they change a rate.
 *
 * @param of the operation in the names of the figures, such as `a create`
 */
export function metered(
  { system }: Pick<Bench, 'system'>,
  of: string,
  run: (durationMs: number) => Promise<Load>,
): Metered {
  const rounds: ProcessorTime[] = []
  const contestant: Contestant = async (durationMs) => {
    const before = await readProcessorTime(system)
    const load = await run(durationMs)
    const after = await readProcessorTime(system)
    if (before !== null && after !== null) rounds.push(ofOne(before, after, load.done))
    return perSecond(load)
  }
  const counted = () => rounds.slice(1)
  const figures = () =>
    Object.entries(processes).flatMap(([key, name]) => {
      const ours = counted().map((round) => round[key as keyof typeof processes])
      return ours.length === 0
        ? []
        : [figureOf({ name: `processor time of ${of}, ${name}`, unit: 'us', ours })]
    })
  return { contestant, figures }
}

/** The share of a core that the processes use while nobody pays: all together, and each. Empty on systems without /proc. */
export async function measureProcessorAtRest({ system, plan }: Bench): Promise<Figure[]> {
  await delay(plan.restAfterMs)
  const before = await readProcessorTime(system)
  const startMs = nowMs()
  await delay(plan.restMs)
  const elapsedMs = nowMs() - startMs
  const after = await readProcessorTime(system)
  if (before === null || after === null) return []
  const shares = Object.entries(processes).map(([key, label]) => {
    const name = key as keyof typeof processes
    return { label, share: (100 * (after[name] - before[name])) / elapsedMs }
  })
  const all = shares.reduce((sum, { share }) => sum + share, 0)
  return [
    figureOf({ name: 'a core at rest', unit: '%', ours: [all], target: { max: 1 } }),
    ...shares.map(({ label, share }) =>
      figureOf({ name: `a core at rest, ${label}`, unit: '%', ours: [share] }),
    ),
  ]
}

/** In microseconds. */
const ofOne = (before: ProcessorTime, after: ProcessorTime, done: number): ProcessorTime => ({
  api: ((after.api - before.api) * US_PER_MS) / done,
  worker: ((after.worker - before.worker) * US_PER_MS) / done,
  postgres: ((after.postgres - before.postgres) * US_PER_MS) / done,
})
