import type { FinanceSummary } from '@merchant-payments/contract'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { i18n } from '../i18n.ts'
import { useRead } from '../queries.ts'
import { inAddress, queryOf, type Search, type SearchName } from '../search.ts'
import { days, Filters } from '../ui/filters.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Money } from '../ui/money.tsx'
import { Page } from '../ui/page.tsx'
import { Section } from '../ui/section.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { ApiError } from '../wire/api-error.ts'
import { ownZone, zoneOf } from '../zone.ts'
import { ExportForm } from './finance/export-form.tsx'
import { ShorterRange } from './finance/shorter-range.tsx'

/** What was collected and paid back, by day, and files of it. */
export function FinanceScreen() {
  const { merchant, from, until, zone: named }: Search = useSearch({ strict: false })
  const navigate = useNavigate()
  const isBound = from !== undefined || until !== undefined
  const zone = isBound ? zoneOf(named) : ownZone
  const search: Search = { merchant, from, until, ...(isBound ? inAddress(zone) : {}) }
  const { zone: _, ...bounds } = queryOf({ from, until, zone })
  const query = { ...bounds, zone, merchant }
  const summary = useRead('financeSummary', { query })
  const change = (name: SearchName, value: string | undefined) =>
    void navigate({ to: '.', search: { ...search, ...inAddress(zone), [name]: value } })
  return (
    <Page
      title={i18n.t('Finance')}
      about={i18n.t(
        'What was collected and paid back on each day, at most 31 days. Without dates, the last seven days. Files take up to a year.',
      )}
    >
      <Filters
        fields={[{ name: 'merchant', label: i18n.t('Merchant'), choices: 'merchants' }, ...days]}
        search={search}
        onChange={change}
        onClear={() => void navigate({ to: '.', search: {} })}
      />
      <ExportForm query={asShown(query, summary.data)} />
      <Loaded of={summary}>
        {({ days: rows, until: endSec }) => (
          <>
            <p className="quiet">
              {i18n.t('The sums end at:')} <Time at={endSec} />
            </p>
            <Totals rows={rows} />
            <Section title={i18n.t('By day')}>
              <Table
                caption={i18n.t('By day')}
                rows={rows}
                keyOf={({ day, merchant: of, rail, currency }) => [day, of, rail, currency].join(' ')}
                empty={i18n.t('No money moved on these days.')}
                columns={[
                  { head: i18n.t('Day'), cell: ({ day }) => day },
                  { head: i18n.t('Merchant'), cell: ({ merchant: of }) => of },
                  { head: i18n.t('Rail'), cell: ({ rail }) => rail },
                  ...sums,
                ]}
              />
            </Section>
          </>
        )}
      </Loaded>
      {isTooMuch(summary.error) && (
        <ShorterRange
          bounds={bounds}
          zone={zone}
          show={(bound) => void navigate({ to: '.', search: { ...search, ...inAddress(zone), ...bound } })}
        />
      )}
    </Page>
  )
}

const isTooMuch = (fault: unknown) => fault instanceof ApiError && fault.param === 'created'

/**
 * The query of a file. Without a start, files of rows begin later than the sums, so that a file would have less than the
 * screen shows.
 */
const asShown = (query: Query, shown: FinanceSummary | undefined): Query =>
  shown === undefined ? query : { ...query, 'created[gte]': query['created[gte]'] ?? String(shown.from) }

type Query = Readonly<Record<string, string | undefined>>
type Day = FinanceSummary['days'][number]

const figure = (head: string, of: (day: Day) => number): Column<Day> => ({
  head,
  isFigure: true,
  cell: (day) => of(day),
})
const money = (head: string, of: (day: Day) => number): Column<Day> => ({
  head,
  isFigure: true,
  cell: (day) => <Money amount={of(day)} currency={day.currency} />,
})

const sums: readonly Column<Day>[] = [
  figure(i18n.t('Payments'), ({ payments }) => payments),
  money(i18n.t('Gross'), ({ gross }) => gross),
  money(i18n.t('Duplicates'), ({ duplicates_amount: amount }) => amount),
  money(i18n.t('Refunds'), ({ refunds_amount: amount }) => amount),
  money(i18n.t('Returns'), ({ returns_amount: amount }) => amount),
  money(i18n.t('Net'), ({ net }) => net),
]

/** All days of a rail and a currency together. */
function Totals({ rows }: { rows: readonly Day[] }) {
  const byRail = Map.groupBy(rows, ({ rail, currency }) => `${rail} ${currency}`)
  const totals = [...byRail.values()].map((some) => some.reduce(added))
  return (
    <Section title={i18n.t('All days')}>
      <Table
        caption={i18n.t('All days')}
        rows={totals}
        keyOf={({ rail, currency }) => `${rail} ${currency}`}
        empty={i18n.t('No money moved on these days.')}
        columns={[{ head: i18n.t('Rail'), cell: ({ rail }) => rail }, ...sums]}
      />
    </Section>
  )
}

const added = (one: Day, other: Day): Day => ({
  ...one,
  payments: one.payments + other.payments,
  gross: one.gross + other.gross,
  duplicates: one.duplicates + other.duplicates,
  duplicates_amount: one.duplicates_amount + other.duplicates_amount,
  refunds: one.refunds + other.refunds,
  refunds_amount: one.refunds_amount + other.refunds_amount,
  returns: one.returns + other.returns,
  returns_amount: one.returns_amount + other.returns_amount,
  net: one.net + other.net,
})
