import type { StaffRailDetail } from '@merchant-payments/contract'
import { Link, useParams } from '@tanstack/react-router'
import { formatLocale, i18n, language } from '../i18n.ts'
import { useRead } from '../queries.ts'
import { Activity } from '../ui/activity.tsx'
import { Facts } from '../ui/facts.tsx'
import { LoadedPage } from '../ui/loaded.tsx'
import { ObjectLink } from '../ui/object-link.tsx'
import { Page } from '../ui/page.tsx'
import { Section } from '../ui/section.tsx'
import { Status } from '../ui/status.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { alertOf } from '../ui/words.ts'
import { RailCharts } from './rail/charts.tsx'

const REFRESH_MS = 15_000

/** One rail: its last hour, what is open, what went wrong, and its last day as charts. */
export function RailScreen() {
  const { id } = useParams({ from: '/rails/$id' })
  const rail = useRead('rail', { id }, { everyMs: REFRESH_MS })
  return (
    <LoadedPage title={i18n.t('Rail')} of={rail}>
      {(found) => <Rail key={found.id} rail={found} />}
    </LoadedPage>
  )
}

const Rail = ({ rail }: { rail: StaffRailDetail }) => (
  <Page title={i18n.t('Rail {id}', { id: rail.id })} heading={rail.name[language]} about={rail.id}>
    <div className="columns">
      <Health rail={rail} />
      <Open rail={rail} />
    </div>
    <RailCharts rail={rail.id} />
    <Errors errors={rail.last_errors} most={rail.looked_at_most} />
    <Alerts alerts={rail.alerts} />
    <Activity entries={rail.timeline} />
    <ul className="ways">
      <li>
        <Link to="/payments" search={{ rail: rail.id }}>
          {i18n.t('Payments')}
        </Link>
      </li>
      <li>
        <Link to="/analytics" search={{ rail: rail.id }}>
          {i18n.t('Analytics')}
        </Link>
      </li>
      <li>
        <Link to="/reconciliation">{i18n.t('Reconciliation')}</Link>
      </li>
    </ul>
  </Page>
)

const seconds = (ms: number | null) => (ms === null ? null : (ms / 1_000).toLocaleString(formatLocale))

function Health({ rail: { health } }: { rail: StaffRailDetail }) {
  const decided = health.succeeded + health.failed
  const share = decided === 0 ? null : (100 * health.succeeded) / decided
  return (
    <Section title={i18n.t('The last hour')}>
      <Facts
        of={[
          [
            i18n.t('Success rate, %'),
            share === null ? '–' : share.toLocaleString(formatLocale, { maximumFractionDigits: 1 }),
          ],
          [i18n.t('Charges'), String(health.opened)],
          [i18n.t('Succeeded'), String(health.succeeded)],
          [i18n.t('Failed'), String(health.failed)],
          [i18n.t('Duplicate'), health.duplicate === 0 ? null : String(health.duplicate)],
          [i18n.t('Median, seconds'), seconds(health.p50_ms)],
          [i18n.t('95th percentile, seconds'), seconds(health.p95_ms)],
        ]}
      />
    </Section>
  )
}

const Open = ({ rail: { id, open, ...searched } }: { rail: StaffRailDetail }) => (
  <Section title={i18n.t('Charges whose outcome is open')}>
    <Table
      caption={i18n.t('Charges whose outcome is open')}
      rows={open}
      keyOf={({ status }) => status}
      empty={i18n.t('None.')}
      columns={[
        {
          head: i18n.t('Status'),
          cell: ({ status }) => (
            <Link to="/charges" search={{ rail: id, state: 'open' }}>
              <Status of={status} />
            </Link>
          ),
        },
        { head: i18n.t('Charges'), isFigure: true, cell: ({ count }) => count },
      ]}
    />
    {searched.open_is_cut && (
      <p className="quiet">
        {i18n.t('Only the newest {most} open charges of all rails were searched. There may be more.', {
          most: searched.open_searched_at_most.toLocaleString(formatLocale),
        })}
      </p>
    )}
  </Section>
)

interface ErrorsProps {
  readonly errors: StaffRailDetail['last_errors']
  readonly most: number
}

const Errors = ({ errors, most }: ErrorsProps) => (
  <Section title={i18n.t('Last errors')}>
    <p className="quiet">
      {i18n.t('Of the last day, among the newest {most} charges of all rails.', {
        most: most.toLocaleString(formatLocale),
      })}
    </p>
    <Table
      caption={i18n.t('Last errors')}
      rows={errors}
      keyOf={({ charge }) => charge}
      empty={i18n.t('None of these charges failed at this rail.')}
      columns={[
        { head: i18n.t('When'), cell: ({ at }) => <Time at={at} /> },
        { head: i18n.t('The rail said'), cell: ({ code }) => <code className="whole">{code ?? '–'}</code> },
        { head: i18n.t('Message'), cell: ({ message }) => <span className="prose">{message}</span> },
        {
          head: i18n.t('Charge'),
          cell: ({ charge, payment_intent: payment }) => <ObjectLink id={charge} payment={payment} />,
        },
        { head: i18n.t('Merchant'), cell: ({ merchant }) => merchant },
      ]}
    />
  </Section>
)

const Alerts = ({ alerts }: { alerts: StaffRailDetail['alerts'] }) => (
  <Section title={i18n.t('Alerts')}>
    <Table
      caption={i18n.t('Alerts')}
      rows={alerts}
      keyOf={({ id }) => id}
      empty={i18n.t('None.')}
      columns={[
        { head: i18n.t('Last raised'), cell: ({ last_at: at }) => <Time at={at} /> },
        {
          head: i18n.t('Alert'),
          cell: ({ alert }) => (
            <Link to="/attention" search={{ alert }}>
              {alertOf(alert)}
            </Link>
          ),
        },
        {
          head: i18n.t('Object'),
          cell: ({ about, payment_intent: payment }) => (
            <ObjectLink id={about} {...(payment !== null && { payment })} />
          ),
        },
        { head: i18n.t('Times'), isFigure: true, cell: ({ times }) => times },
        { head: i18n.t('Status'), cell: ({ status }) => <Status of={status} /> },
        {
          head: i18n.t('Assignee'),
          cell: ({ assignee }) => assignee?.name ?? <span className="quiet">–</span>,
        },
      ]}
    />
  </Section>
)
