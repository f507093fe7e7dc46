import type { RailHealth as Health } from '@merchant-payments/contract'
import { Link } from '@tanstack/react-router'
import { formatLocale, i18n } from '../i18n.ts'
import { useRead } from '../queries.ts'
import { Loaded } from '../ui/loaded.tsx'
import { Section } from '../ui/section.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'

const REFRESH_MS = 30_000

const seconds = (ms: number | null) => (ms === null ? '–' : (ms / 1_000).toLocaleString(formatLocale))

/** What became of each rail's charges of the last hour. */
export function RailHealth() {
  const health = useRead('railHealth', {}, { everyMs: REFRESH_MS })
  return (
    <Section title={i18n.t('The last hour')}>
      <Loaded of={health}>
        {({ data }) => (
          <Table
            caption={i18n.t('The last hour')}
            rows={data}
            keyOf={({ id }) => id}
            empty={i18n.t('None.')}
            columns={[
              {
                head: i18n.t('Rail'),
                cell: ({ id }) => (
                  <Link to="/rails/$id" params={{ id }}>
                    {id}
                  </Link>
                ),
              },
              { head: i18n.t('Charges'), isFigure: true, cell: ({ opened }) => opened },
              { head: i18n.t('Succeeded'), isFigure: true, cell: ({ succeeded }) => succeeded },
              { head: i18n.t('Failed'), isFigure: true, cell: ({ failed }) => failed },
              { head: i18n.t('Open'), isFigure: true, cell: ({ waiting }) => waiting },
              {
                head: i18n.t('Median, seconds'),
                isFigure: true,
                cell: ({ p50_ms: ms }) => seconds(ms),
              },
              {
                head: i18n.t('95th percentile, seconds'),
                isFigure: true,
                cell: ({ p95_ms: ms }) => seconds(ms),
              },
              { head: i18n.t('Last error'), cell: ({ last_error: error }) => <LastError of={error} /> },
            ]}
          />
        )}
      </Loaded>
    </Section>
  )
}

const LastError = ({ of: error }: { of: Health['last_error'] }) =>
  error === null ? (
    <span className="quiet">–</span>
  ) : (
    <span className="prose">
      <code className="whole">{error.code ?? '–'}</code> {error.message} <Time at={error.at} />
    </span>
  )
