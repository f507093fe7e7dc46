import Counter from 'prom-client/lib/counter.js'
import Gauge from 'prom-client/lib/gauge.js'
import Histogram from 'prom-client/lib/histogram.js'
import Registry from 'prom-client/lib/registry.js'

/** A value for each label name of a metric: a word from a closed set, never an id or anything a caller sent. */
type Labels<Name extends string> = Readonly<Record<Name, string>>

interface Sample<Name extends string> {
  readonly labels: Labels<Name>
  readonly value: number
}

/** Reads a gauge. Runs only at each render. */
type Collect<Name extends string> = () => readonly Sample<Name>[] | Promise<readonly Sample<Name>[]>

/** Adds `by`, 1 by default. With 0 it shows the series, so that Prometheus sees the first count as an increase. */
type Count<Name extends string> = (labels: Labels<Name>, by?: number) => void
type Observe<Name extends string> = (seconds: number, labels: Labels<Name>) => void

/** The metrics of this process. A name is registered once; a second time throws. */
export interface Metrics {
  /** A counter without labels starts at zero; one with labels shows a series once it is counted. */
  counter<Name extends string = never>(name: string, help: string, labelNames?: readonly Name[]): Count<Name>
  /** A histogram in seconds, of requests unless it has buckets of its own. */
  durations<Name extends string = never>(
    name: string,
    help: string,
    labelNames: readonly Name[],
    bucketsSec?: readonly number[],
  ): Observe<Name>
  gauge<Name extends string>(
    name: string,
    help: string,
    labelNames: readonly Name[],
    collect: Collect<Name>,
  ): void
  /** In the text format of Prometheus. Rejects if a gauge cannot be read, since a zero would look like an empty queue. */
  render(): Promise<string>
}

/** OpenTelemetry's semantic conventions, http.server.request.duration. */
const BUCKETS_SEC = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

/**
 * Series of one metric. Label values come from closed sets; this bounds the memory if one does not. Each route of the api
 * has room for each of its statuses, so no caller can use up the series of an alert.
 */
const SERIES_MAX = 5_000

export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const dropped = new Counter({
    name: 'metric_observations_dropped_total',
    help: 'Observations left out because their metric has too many series.',
    labelNames: ['metric'],
    registers,
  })
  const dropOf = (metric: string) => () => dropped.labels({ metric }).inc(1)
  return {
    counter: (name, help, labelNames = []) => {
      const counter = new Counter({ name, help, labelNames, registers })
      const seriesOf = boundedSeries(labelNames, (labels) => counter.labels(labels), dropOf(name))
      return (labels, by = 1) => seriesOf(labels)?.inc(by)
    },
    durations: (name, help, labelNames, bucketsSec = BUCKETS_SEC) => {
      const histogram = new Histogram({ name, help, labelNames, registers, buckets: [...bucketsSec] })
      const seriesOf = boundedSeries(labelNames, (labels) => histogram.labels(labels), dropOf(name))
      return (seconds, labels) => seriesOf(labels)?.observe(seconds)
    },
    gauge: (name, help, labelNames, collect) => {
      const gauge: Gauge = new Gauge({
        name,
        help,
        labelNames,
        registers,
        collect: async () => {
          const samples = await collect()
          // After the read, so that another render meanwhile never sees the gauge empty.
          gauge.reset()
          for (const { labels, value } of samples) gauge.set(labels, value)
        },
      })
    },
    render: () => registry.metrics(),
  }
}

/** Finds the series of the labels, or makes it. Undefined for a new one beyond SERIES_MAX. */
function boundedSeries<Name extends string, Series>(
  names: readonly Name[],
  create: (labels: Labels<Name>) => Series,
  drop: () => void,
): (labels: Labels<Name>) => Series | undefined {
  const known = new Map<string, Series>()
  return (labels) => {
    let key = ''
    for (const name of names) key += `${labels[name]}\0`
    const found = known.get(key)
    if (found !== undefined) return found
    if (known.size >= SERIES_MAX) {
      drop()
      return undefined
    }
    // prom-client throws on a label that was not declared, so it gets the declared ones only.
    const declared = Object.fromEntries(names.map((name) => [name, labels[name]])) as Labels<Name>
    const created = create(declared)
    known.set(key, created)
    return created
  }
}
