import { Link, useSearch } from '@tanstack/react-router'
import { i18n } from '../i18n.ts'
import { reaches, useMember } from '../member.tsx'
import { useRead } from '../queries.ts'
import type { Search } from '../search.ts'
import { Loaded } from '../ui/loaded.tsx'
import { Page } from '../ui/page.tsx'
import { Section } from '../ui/section.tsx'
import { Status } from '../ui/status.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { Findings } from './reconciliation/findings.tsx'
import { UploadForm } from './reconciliation/upload-form.tsx'

const REFRESH_MS = 15_000

/** Statements of operators, by day. */
export function ReconciliationScreen() {
  const { role } = useMember()
  const { starting_after }: Search = useSearch({ strict: false })
  const statements = useRead(
    'statements',
    { query: { starting_after } },
    { everyMs: REFRESH_MS, isPaged: true },
  )
  return (
    <Page
      title={i18n.t('Reconciliation')}
      about={i18n.t(
        'Upload the operator’s statement of a day. The service compares it with its own charges and refunds, and changes none of them.',
      )}
    >
      {reaches(role, 'operator') && <UploadForm />}
      <Loaded of={statements}>
        {({ data, has_more: hasMore }) => (
          <Section title={i18n.t('Statements')} count={data.length} isCut={hasMore}>
            <Table
              caption={i18n.t('Statements')}
              rows={data}
              keyOf={({ id }) => id}
              empty={i18n.t('No statement was uploaded yet.')}
              columns={[
                {
                  head: i18n.t('Day'),
                  cell: ({ id, day }) => (
                    <Link to="/reconciliation/$id" params={{ id }}>
                      {day}
                    </Link>
                  ),
                },
                { head: i18n.t('Rail'), cell: ({ rail }) => rail },
                { head: i18n.t('Status'), cell: ({ status }) => <Status of={status} /> },
                { head: i18n.t('Matched'), isFigure: true, cell: ({ matched }) => matched },
                { head: i18n.t('Only ours'), isFigure: true, cell: ({ ours_only: ours }) => ours },
                {
                  head: i18n.t('Only in the statement'),
                  isFigure: true,
                  cell: ({ theirs_only: theirs }) => theirs,
                },
                {
                  head: i18n.t('Amount differs'),
                  isFigure: true,
                  cell: ({ amount_differs: differs }) => differs,
                },
                { head: i18n.t('Duplicate'), isFigure: true, cell: ({ duplicate }) => duplicate },
                {
                  head: i18n.t('Closed by'),
                  cell: ({ closed_by: by }) => by?.name ?? <span className="quiet">–</span>,
                },
                { head: i18n.t('Uploaded'), cell: ({ created }) => <Time at={created} /> },
              ]}
            />
            <Pages after={starting_after} last={hasMore ? data.at(-1)?.id : undefined} />
          </Section>
        )}
      </Loaded>
      <Findings />
    </Page>
  )
}

interface PagesProps {
  readonly after: string | undefined
  /** The last row, if more follow. */
  readonly last: string | undefined
}

/** The API pages through statements in one direction. */
const Pages = ({ after, last }: PagesProps) =>
  (after ?? last) !== undefined && (
    <nav className="pager" aria-label={i18n.t('Pages')}>
      {after !== undefined && (
        <Link to="." search={{}}>
          {i18n.t('Newest')}
        </Link>
      )}
      {last !== undefined && (
        <Link to="." search={{ starting_after: last }}>
          {i18n.t('Older →')}
        </Link>
      )}
    </nav>
  )
