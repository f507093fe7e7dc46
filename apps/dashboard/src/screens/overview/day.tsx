import type { Overview } from '@merchant-payments/contract'
import { Link } from '@tanstack/react-router'
import { since } from '../../search.ts'
import { Section } from '../../ui/section.tsx'
import { Status } from '../../ui/status.tsx'
import { Table } from '../../ui/table.tsx'
import { i18n, language } from '../../i18n.ts'
import { ownZone } from '../../zone.ts'

const sum = (rows: readonly { count: number }[]) => rows.reduce((total, { count }) => total + count, 0)
const figure = (count: number) => count.toLocaleString(language)

/** Payments of the last day; each line links to its list. */
export function DayOfPayments({ overview }: { overview: Overview }) {
  const { payment_intents: rows } = overview
  const total = sum(rows)
  return (
    <Section
      title={i18n.t('Payments of the last day')}
      count={total}
      isCut={total >= overview.counted_at_most}
    >
      <Table
        caption={i18n.t('Payments of the last day')}
        rows={rows}
        keyOf={({ status }) => status}
        empty={i18n.t('None.')}
        columns={[
          {
            head: i18n.t('Status'),
            cell: ({ status }) => (
              <Link to="/payments" search={{ status, ...since(overview.since, ownZone) }}>
                <Status of={status} />
              </Link>
            ),
          },
          { head: i18n.t('Payments'), isFigure: true, cell: ({ count }) => figure(count) },
          {
            head: i18n.t('Share'),
            isFigure: true,
            cell: ({ count }) => `${Math.round((100 * count) / total)} %`,
          },
          {
            head: i18n.t('Of all'),
            cell: ({ count }) => <meter min={0} max={total} value={count} aria-hidden="true" />,
          },
        ]}
      />
    </Section>
  )
}

interface RailOfTheDay {
  readonly rail: string
  readonly succeeded: number
  readonly failed: number
  readonly other: number
}

/** How charges on each rail ended; declined ones and unfinished ones are separate. */
export const RailsOfTheDay = ({ overview }: { overview: Overview }) => (
  <Section title={i18n.t('Charges of the last day, by rail')}>
    <Table
      caption={i18n.t('Charges of the last day, by rail')}
      rows={railsOf(overview)}
      keyOf={({ rail }) => rail}
      empty={i18n.t('None.')}
      columns={[
        {
          head: i18n.t('Rail'),
          cell: ({ rail }) => (
            <Link to="/charges" search={{ rail, ...since(overview.since, ownZone) }}>
              {rail}
            </Link>
          ),
        },
        { head: i18n.t('Succeeded'), isFigure: true, cell: ({ succeeded }) => figure(succeeded) },
        { head: i18n.t('Failed'), isFigure: true, cell: ({ failed }) => figure(failed) },
        { head: i18n.t('Other'), isFigure: true, cell: ({ other }) => figure(other) },
        { head: i18n.t('Success'), isFigure: true, cell: shareOf },
      ]}
    />
  </Section>
)

function railsOf({ charges }: Overview): RailOfTheDay[] {
  const rails = [...new Set(charges.map(({ rail }) => rail))]
  return rails.map((rail) => {
    const ofRail = charges.filter((row) => row.rail === rail)
    const succeeded = sum(ofRail.filter(({ status }) => status === 'succeeded'))
    const failed = sum(ofRail.filter(({ status }) => status === 'failed'))
    return { rail, succeeded, failed, other: sum(ofRail) - succeeded - failed }
  })
}

/** The share among finished charges. */
const shareOf = ({ succeeded, failed }: RailOfTheDay): string =>
  succeeded + failed === 0 ? '–' : `${Math.round((100 * succeeded) / (succeeded + failed))} %`
