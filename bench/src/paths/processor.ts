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

/** The share of a core that all processes use together while nobody pays. Empty on systems without /proc. */
export async function measureProcessorAtRest({ system, plan }: Bench): Promise<Figure[]> {
  await delay(plan.restAfterMs)
  const before = await readProcessorTime(system)
  const startMs = nowMs()
  await delay(plan.restMs)
  const elapsedMs = nowMs() - startMs
  const after = await readProcessorTime(system)
  if (before === null || after === null) return []
  const usedMs = Object.keys(processes).map((key) => {
    const name = key as keyof typeof processes
    return after[name] - before[name]
  })
  const share = (100 * usedMs.reduce((sum, ms) => sum + ms, 0)) / elapsedMs
  return [figureOf({ name: 'a core at rest', unit: '%', ours: [share], target: { max: 1 } })]
}

/** In microseconds. */
const ofOne = (before: ProcessorTime, after: ProcessorTime, done: number): ProcessorTime => ({
  api: ((after.api - before.api) * US_PER_MS) / done,
  worker: ((after.worker - before.worker) * US_PER_MS) / done,
  postgres: ((after.postgres - before.postgres) * US_PER_MS) / done,
})
