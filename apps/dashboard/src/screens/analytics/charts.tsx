import type { Analytics, AnalyticsPoint } from '@merchant-payments/contract'
import { useMemo } from 'react'
import { i18n } from '../../i18n.ts'
import { ObjectLink } from '../../ui/object-link.tsx'
import { Section } from '../../ui/section.tsx'
import { Status } from '../../ui/status.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { alertOf } from '../../ui/words.ts'
import { factsOf, type Zone } from '../../zone.ts'
import { Chart, type Line, type Mark } from './chart.tsx'
import { filled } from './fill.ts'

interface Drawn {
  readonly title: string
  readonly lines: readonly Line[]
  readonly most?: number
}

interface ChartsProps {
  readonly data: Analytics
  readonly zone: Zone
  /** The id of the table with the same figures. */
  readonly details: string
}

/** The rate, the volume and the time of charges, with a line for each alert of the rails and each new build. */
export function ChartsOf({ data, zone, details }: ChartsProps) {
  const { marks: alerts, builds, from, until } = data
  const points = useMemo(() => filled(data, zone), [data, zone])
  const times = useMemo(() => points.map(({ at }) => at), [points])
  const charts = useMemo(() => chartsOf(points), [points])
  const marks = useMemo(() => [...alerts.map(markOf), ...builds.map(markOfBuild)], [alerts, builds])
  const { timeZone } = factsOf(zone)
  return charts.map(({ title, lines, most }) => (
    <Section key={title} title={title}>
      <Chart
        title={title}
        times={times}
        lines={lines}
        marks={marks}
        timeZone={timeZone}
        details={details}
        from={from}
        until={until}
        most={most}
      />
    </Section>
  ))
}

const markOf = ({ at, state }: Analytics['marks'][number]): Mark => ({
  at,
  tone: state === 'raised' ? 'warn' : 'good',
})

const markOfBuild = ({ at }: Analytics['builds'][number]): Mark => ({ at, tone: 'wait' })

const decided = ({ succeeded, failed }: AnalyticsPoint) => succeeded + failed
export const rateOf = (point: AnalyticsPoint): number | null =>
  decided(point) === 0 ? null : Math.round((1_000 * point.succeeded) / decided(point)) / 10
export const secondsOf = (ms: number | null): number | null =>
  ms === null ? null : Math.round(ms / 100) / 10

function chartsOf(points: readonly AnalyticsPoint[]): readonly Drawn[] {
  const line = (label: string, tone: Line['tone'], of: (point: AnalyticsPoint) => number | null): Line => ({
    label,
    tone,
    values: points.map(of),
  })
  return [
    { title: i18n.t('Success rate, %'), lines: [line(i18n.t('Success rate, %'), 'good', rateOf)], most: 100 },
    {
      title: i18n.t('Volume in XAF'),
      lines: [line(i18n.t('Volume in XAF'), 'wait', ({ amount }) => amount)],
    },
    {
      title: i18n.t('Time to approve, seconds'),
      lines: [
        line(i18n.t('Median'), 'wait', ({ p50_ms: ms }) => secondsOf(ms)),
        line(i18n.t('95th percentile'), 'warn', ({ p95_ms: ms }) => secondsOf(ms)),
      ],
    },
  ]
}

/** The dashed lines of the charts as a table. */
export const Marks = ({ marks }: { marks: Analytics['marks'] }) => (
  <div id="marks">
    <Section title={i18n.t('Alerts in the charts')} count={marks.length}>
      <Table
        caption={i18n.t('Alerts in the charts')}
        rows={marks.toReversed()}
        keyOf={({ item, state }) => `${item} ${state}`}
        empty={i18n.t('None.')}
        columns={[
          { head: i18n.t('When'), cell: ({ at }) => <Time at={at} /> },
          { head: i18n.t('Status'), cell: ({ state }) => <Status of={state} /> },
          { head: i18n.t('Alert'), cell: ({ alert }) => alertOf(alert) },
          { head: i18n.t('Rail'), cell: ({ rail }) => rail },
          {
            head: i18n.t('Object'),
            cell: ({ about, payment_intent: payment }) => (
              <ObjectLink id={about} {...(payment !== null && { payment })} />
            ),
          },
        ]}
      />
    </Section>
  </div>
)

/** The lines of new builds as a table. */
export const Builds = ({ builds }: { builds: Analytics['builds'] }) => (
  <Section title={i18n.t('New builds in the charts')} count={builds.length}>
    <Table
      caption={i18n.t('New builds in the charts')}
      rows={builds.toReversed()}
      keyOf={({ app, build }) => `${app} ${build}`}
      empty={i18n.t('None.')}
      columns={[
        { head: i18n.t('First ran'), cell: ({ at }) => <Time at={at} /> },
        { head: i18n.t('Process'), cell: ({ app }) => <code>{app}</code> },
        { head: i18n.t('Build'), cell: ({ build }) => <code>{build}</code> },
      ]}
    />
  </Section>
)
