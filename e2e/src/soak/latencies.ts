/** The times of one kind of work, over the whole run. */
export interface Latency {
  readonly name: string
  readonly count: number
  /** Those that needed more than one try. */
  readonly repeated: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

interface Sample {
  readonly ms: number
  readonly tries: number
}

export class Latencies {
  readonly #samples = new Map<string, Sample[]>()

  add(name: string, ms: number, tries: number): void {
    const samples = this.#samples.get(name) ?? []
    this.#samples.set(name, samples)
    samples.push({ ms, tries })
  }

  summary(): Latency[] {
    return [...this.#samples].map(([name, samples]) => {
      const times = samples.map(({ ms }) => ms).toSorted((one, other) => one - other)
      return {
        name,
        count: times.length,
        repeated: samples.filter(({ tries }) => tries > 1).length,
        p50Ms: percentile(times, 0.5),
        p99Ms: percentile(times, 0.99),
        maxMs: times.at(-1) ?? 0,
      }
    })
  }
}

/** The smallest time that this share of all times does not exceed. */
const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
