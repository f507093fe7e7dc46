import { alone, type Turn } from './turns.ts'

export type Contestant = (durationMs: number) => Promise<number>

/**
 * Runs contestants in turn, in another order each round, so that other load on the machine affects them
 * alike. The first turn is a warm-up and does not count. A null contestant cannot run here and gets no
 * rounds.
 */
export async function interleave<Name extends string>(
  contestants: Readonly<Record<Name, Contestant | null>>,
  { rounds, durationMs, turn = alone }: { rounds: number; durationMs: number; turn?: Turn },
): Promise<Record<Name, number[]>> {
  const running = Object.entries<Contestant | null>(contestants).filter((entry) => entry[1] !== null)
  const results = Object.fromEntries(Object.keys(contestants).map((name) => [name, [] as number[]]))
  for (const [, run] of running) await turn(async () => run?.(durationMs))
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, run] of rotated(running, round)) {
      if (run !== null) results[name]?.push(await turn(() => run(durationMs)))
    }
  }
  return results as Record<Name, number[]>
}

const rotated = <T>(items: readonly T[], by: number): T[] => {
  const at = by % items.length
  return [...items.slice(at), ...items.slice(0, at)]
}

export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN
}

export const median = (values: readonly number[]): number => percentile(values, 0.5)
