import type { Bench } from '../bench.ts'
import { type Figure, figureOf } from '../figure.ts'
import { type Memory, memoryOf } from '../system/memory.ts'

const processes = ['api', 'worker'] as const

export type AtRest = Readonly<Record<(typeof processes)[number], Memory | null>>

export async function measureRest({ system }: Pick<Bench, 'system'>): Promise<AtRest> {
  return { api: await memoryOf(system.api.pid), worker: await memoryOf(system.worker.pid) }
}

/** The resident memory of both processes at rest, and their peaks over the run. Empty on systems without /proc. */
export async function measureMemory({ system }: Pick<Bench, 'system'>, atRest: AtRest): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const name of processes) {
    const rest = atRest[name]
    const now = await memoryOf(system[name].pid)
    if (rest === null || now === null) continue
    figures.push(
      figureOf({ name: `memory of the ${name}, at rest`, unit: 'MB', ours: [rest.nowMb] }),
      figureOf({ name: `memory of the ${name}, at most`, unit: 'MB', ours: [now.peakMb] }),
    )
  }
  return figures
}
