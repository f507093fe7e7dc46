import { useRead } from '../queries.ts'
import { ApiError } from '../wire/api-error.ts'
import { Money } from './money.tsx'
import { i18n } from '../i18n.ts'

export type TotalsName = 'paymentTotals' | 'chargeTotals' | 'refundTotals'

interface TotalsProps {
  readonly name: TotalsName
  readonly query: Readonly<Record<string, string | undefined>>
}

/** How many rows a list has under its filters, and their sums. Not refreshed, because it can be slow. */
export function TotalsLine({ name, query }: TotalsProps) {
  const { data, error } = useRead(name, { query })
  if (error !== null && data === undefined) return <p className="totals quiet">{textOf(error)}</p>
  if (data === undefined) return <p className="totals quiet">{i18n.t('Counting…')}</p>
  if (data.is_more)
    return <p className="totals">{i18n.t('More than 10,000 rows. Choose a shorter time for their sum.')}</p>
  return (
    <p className="totals">
      {i18n.t('{count, plural, one {# row} other {# rows}}', { count: data.count })}
      {data.sums.map(({ currency, amount }) => (
        <span key={currency}>
          {' · '}
          <Money amount={amount} currency={currency} />
        </span>
      ))}
    </p>
  )
}

/** The API refuses the range of a search that would take too long. Nothing else means that there are too many rows. */
const textOf = (error: Error): string =>
  error instanceof ApiError && error.kind === 'refused' && error.param?.startsWith('created') === true
    ? i18n.t('Too many to count. Choose a shorter time.')
    : i18n.t('The rows could not be counted: {reason}', { reason: error.message })
