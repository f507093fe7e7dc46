import type { Analytics } from '@merchant-payments/contract'
import { Trans } from '@lingui/react'
import { analyticsSizes } from '@merchant-payments/contract/words'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { formatLocale, i18n } from '../i18n.ts'
import { useRead } from '../queries.ts'
import { inAddress, queryOf, type Search, type SearchName, since } from '../search.ts'
import { days, Filters } from '../ui/filters.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Money } from '../ui/money.tsx'
import { Page } from '../ui/page.tsx'
import { Section } from '../ui/section.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { ownZone, type Zone, zoneOf } from '../zone.ts'
import { Builds, ChartsOf, Marks, rateOf, secondsOf } from './analytics/charts.tsx'
import { boundsOf } from './analytics/fill.ts'

const REFRESH_MS = 60_000

/** What became of charges over time. Each chart is also a table, whose rows lead to the charges. */
export function AnalyticsScreen() {
  const { size, rail, merchant, from, until, zone: named }: Search = useSearch({ strict: false })
  const navigate = useNavigate()
  const isBound = from !== undefined || until !== undefined
  const zone = isBound ? zoneOf(named) : ownZone
  const filters: Search = { size, rail, merchant, from, until, ...(isBound ? inAddress(zone) : {}) }
  const { zone: _, ...bounds } = queryOf({ from, until, zone })
  const query = { ...bounds, size, rail, merchant, zone }
  const analytics = useRead('analytics', { query }, { everyMs: REFRESH_MS })
  const change = (name: SearchName, value: string | undefined) =>
    void navigate({ to: '.', search: { ...filters, ...inAddress(zone), [name]: value } })
  return (
    <Page
      title={i18n.t('Analytics')}
      about={i18n.t(
        'Charges by the time they were opened, about a minute behind. A late outcome is counted after 10 or 20 minutes, an hour, or one or two days. Without dates, the last day in hours.',
      )}
    >
      <Filters
        fields={[
          {
            name: 'size',
            label: i18n.t('One point for each'),
            choices: analyticsSizes,
            anyText: i18n.t('Automatic'),
          },
          { name: 'rail', label: i18n.t('Rail'), choices: 'rails' },
          { name: 'merchant', label: i18n.t('Merchant'), choices: 'merchants' },
          ...days,
        ]}
        search={filters}
        onChange={change}
        onClear={() => void navigate({ to: '.', search: {} })}
      />
      <Loaded of={analytics}>
        {(data) => <Shown data={data} zone={zone} filters={{ rail, merchant }} />}
      </Loaded>
    </Page>
  )
}

interface ShownProps {
  readonly data: Analytics
  readonly zone: Zone
  readonly filters: Search
}

function Shown({ data, zone, filters }: ShownProps) {
  const { points, funnel, marks, builds, from, until, final_until: finalUntil } = data
  const isAny = points.length > 0
  return (
    <>
      {isAny ? (
        <ChartsOf data={data} zone={zone} details="points" />
      ) : (
        <p className="empty">{i18n.t('No charges in this time.')}</p>
      )}
      <Marks marks={marks} />
      <Builds builds={builds} />
      <Funnel funnel={funnel} rail={filters.rail} />
      {isAny && <Declines data={data} />}
      {isAny && (
        <div id="points">
          <Points data={data} zone={zone} filters={filters} />
        </div>
      )}
      <p className="quiet">
        <Trans
          id="Counted from <0/> to <1/>."
          components={{ 0: <Time at={from} />, 1: <Time at={until} /> }}
        />
      </p>
      <p className="quiet">
        {i18n.t('Charges that were opened later than this may still change:')} <Time at={finalUntil} />
      </p>
    </>
  )
}

const figure = (value: number | null) =>
  value === null ? <span className="quiet">–</span> : value.toLocaleString(formatLocale)

/** Bounds of the list of what a point counts. */
function bucketIn(zone: Zone, data: Analytics, at: number): Search {
  const [from, until] = boundsOf(data, at)
  return { ...since(from, zone), until: since(until, zone).from }
}

const Points = ({ data, zone, filters }: ShownProps) => (
  <Section title={i18n.t('The charts as a table')}>
    <p className="quiet">{i18n.t('Times without a charge are left out.')}</p>
    <Table
      caption={i18n.t('The charts as a table')}
      rows={data.points.toReversed()}
      keyOf={({ at }) => String(at)}
      empty={i18n.t('None.')}
      columns={[
        {
          head: i18n.t('From'),
          cell: ({ at }) => (
            <Link to="/charges" search={{ ...filters, ...bucketIn(zone, data, at) }}>
              <Time at={at} />
            </Link>
          ),
        },
        { head: i18n.t('Charges'), isFigure: true, cell: ({ opened }) => figure(opened) },
        { head: i18n.t('Succeeded'), isFigure: true, cell: ({ succeeded }) => figure(succeeded) },
        { head: i18n.t('Failed'), isFigure: true, cell: ({ failed }) => figure(failed) },
        { head: i18n.t('Open'), isFigure: true, cell: ({ waiting }) => figure(waiting) },
        { head: i18n.t('Success rate, %'), isFigure: true, cell: (point) => figure(rateOf(point)) },
        {
          head: i18n.t('Volume in XAF'),
          isFigure: true,
          cell: ({ amount }) => <Money amount={amount} currency="XAF" />,
        },
        {
          head: i18n.t('Median, seconds'),
          isFigure: true,
          cell: ({ p50_ms: ms }) => figure(secondsOf(ms)),
        },
        {
          head: i18n.t('95th percentile, seconds'),
          isFigure: true,
          cell: ({ p95_ms: ms }) => figure(secondsOf(ms)),
        },
      ]}
    />
  </Section>
)

interface FunnelProps {
  readonly funnel: Analytics['funnel']
  /** The rail whose payments are counted. Undefined for those of all rails. */
  readonly rail: string | undefined
}

function Funnel({ funnel: { created, sent, approved }, rail }: FunnelProps) {
  const [offered, taken, paid] =
    rail === undefined
      ? [i18n.t('Payments created'), i18n.t('Payments sent to a rail'), i18n.t('Payments that succeeded')]
      : [
          i18n.t('Payments that offer {rail}', { rail }),
          i18n.t('Payments sent to {rail}', { rail }),
          i18n.t('Payments paid on {rail}', { rail }),
        ]
  const steps = [
    { step: offered, count: created },
    { step: taken, count: sent },
    { step: paid, count: approved },
  ]
  return (
    <Section title={i18n.t('From creation to payment')}>
      <Table
        caption={i18n.t('From creation to payment')}
        rows={steps}
        keyOf={({ step }) => step}
        empty={i18n.t('None.')}
        columns={[
          { head: i18n.t('Step'), cell: ({ step }) => step },
          { head: i18n.t('Payments'), isFigure: true, cell: ({ count }) => figure(count) },
          {
            head: i18n.t('Share'),
            isFigure: true,
            cell: ({ count }) => (created === 0 ? '–' : `${Math.round((100 * count) / created)} %`),
          },
          {
            head: i18n.t('Of all'),
            cell: ({ count }) => (
              <meter min={0} max={Math.max(1, created)} value={count} aria-hidden="true" />
            ),
          },
        ]}
      />
    </Section>
  )
}

const Declines = ({ data: { declines } }: { data: Analytics }) => (
  <Section title={i18n.t('Why charges failed')}>
    <Table
      caption={i18n.t('Why charges failed')}
      rows={declines}
      keyOf={({ rail, code }) => `${rail} ${code}`}
      empty={i18n.t('No charge failed.')}
      columns={[
        { head: i18n.t('The rail said'), cell: ({ code }) => <code className="whole">{code}</code> },
        { head: i18n.t('Rail'), cell: ({ rail }) => rail },
        { head: i18n.t('Charges'), isFigure: true, cell: ({ count }) => figure(count) },
      ]}
    />
  </Section>
)
