/** Values by name, always of the names that a family was made with. */
type Labels = Readonly<Record<string, string>>

/** One value of a gauge. */
interface Series {
  readonly labels?: Labels
  readonly value: number
}

/** Called when somebody looks: what is asked of the database is asked then, and not before. */
type Collect = () => readonly Series[] | Promise<readonly Series[]>

type Count = (labels?: Labels, by?: number) => void
type Observe = (value: number, labels?: Labels) => void

/** Counts and durations of this process, in the text format of Prometheus. */
export interface Metrics {
  counter(name: string, help: string): Count
  /** In seconds, with the buckets of OpenTelemetry's conventions. */
  durations(name: string, help: string): Observe
  gauge(name: string, help: string, collect: Collect): void
  render(): Promise<string>
}

/** OpenTelemetry's semantic conventions, http.server.request.duration. */
const BUCKETS_SEC = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

/** Series of one family: label values come from closed sets, and this holds if one ever does not. */
const SERIES_MAX = 1_000

type Lines = () => readonly string[] | Promise<readonly string[]>
type Family = () => Promise<readonly string[]>

export function createMetrics(): Metrics {
  const families: Family[] = []
  const add = (name: string, type: string, help: string, family: Lines): void => {
    families.push(async () => [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...(await family())])
  }

  return {
    counter: (name, help) => {
      const counts = new Map<string, number>()
      add(name, 'counter', help, () =>
        [...counts].map(([labels, count]) => `${name}${braced(labels)} ${count}`),
      )
      return (labels = {}, by = 1) => {
        const key = keyOf(labels)
        const count = counts.get(key)
        if (count !== undefined || counts.size < SERIES_MAX) counts.set(key, (count ?? 0) + by)
      }
    },
    durations: (name, help) => {
      const histograms = new Map<string, Histogram>()
      add(name, 'histogram', help, () =>
        [...histograms].flatMap(([labels, some]) => linesOf(name, labels, some)),
      )
      return (value, labels = {}) => {
        const key = keyOf(labels)
        const known = histograms.get(key)
        if (known === undefined && histograms.size >= SERIES_MAX) return
        const histogram = known ?? emptyHistogram()
        if (known === undefined) histograms.set(key, histogram)
        observe(histogram, value)
      }
    },
    gauge: (name, help, collect) =>
      add(name, 'gauge', help, async () =>
        (await collect()).map(({ labels = {}, value }) => `${name}${braced(keyOf(labels))} ${value}`),
      ),
    render: async () => `${(await Promise.all(families.map((family) => family()))).flat().join('\n')}\n`,
  }
}

interface Histogram {
  /** How many fell into each bucket, and into none. */
  readonly counts: number[]
  sum: number
}

const emptyHistogram = (): Histogram => ({ counts: Array(BUCKETS_SEC.length + 1).fill(0), sum: 0 })

function observe(histogram: Histogram, value: number): void {
  const bucket = BUCKETS_SEC.findIndex((bound) => value <= bound)
  const index = bucket === -1 ? BUCKETS_SEC.length : bucket
  histogram.counts[index] = (histogram.counts[index] ?? 0) + 1
  histogram.sum += value
}

function linesOf(name: string, labels: string, { counts, sum }: Histogram): string[] {
  const more = labels === '' ? '' : `${labels},`
  let total = 0
  const buckets = counts.map((count, n) => {
    total += count
    return `${name}_bucket{${more}le="${BUCKETS_SEC[n] ?? '+Inf'}"} ${total}`
  })
  return [...buckets, `${name}_sum${braced(labels)} ${sum}`, `${name}_count${braced(labels)} ${total}`]
}

const keyOf = (labels: Labels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replaceAll(/["\\\n]/g, escaped)}"`)
    .join(',')

const escaped = (character: string): string => (character === '\n' ? String.raw`\n` : `\\${character}`)

const braced = (labels: string): string => (labels === '' ? '' : `{${labels}}`)
