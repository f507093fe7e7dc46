import type { StatementDetail } from '@merchant-payments/contract'
import { statementVerdicts } from '@merchant-payments/contract/words'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { z } from 'zod'
import { i18n } from '../i18n.ts'
import { reaches, useMember } from '../member.tsx'
import { useRead } from '../queries.ts'
import type { Search } from '../search.ts'
import { ChangeButton } from '../ui/change-button.tsx'
import { ErrorPanel } from '../ui/error-panel.tsx'
import { Facts } from '../ui/facts.tsx'
import { Filters } from '../ui/filters.tsx'
import { LoadedPage } from '../ui/loaded.tsx'
import { ReportedMoney } from '../ui/money.tsx'
import { ObjectLink } from '../ui/object-link.tsx'
import { Page } from '../ui/page.tsx'
import { Section } from '../ui/section.tsx'
import { Status } from '../ui/status.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { wordOf } from '../ui/words.ts'
import { zoneName } from '../zone.ts'
import { DifferenceActions, LedgerMoney } from './reconciliation/difference-actions.tsx'
import { compareAll } from './reconciliation/upload.ts'

type Detail = z.infer<typeof StatementDetail>
type Difference = Detail['differences'][number]

const REFRESH_MS = 15_000

/** A statement and the rows in which it and the ledger differ. */
export function StatementScreen() {
  const { id } = useParams({ strict: false })
  const { verdict, after }: Search = useSearch({ strict: false })
  const navigate = useNavigate()
  const statement = useRead(
    'statement',
    { id: id ?? '', query: { verdict, after } },
    { everyMs: REFRESH_MS, isPaged: true },
  )
  return (
    <LoadedPage title={i18n.t('Statement')} of={statement}>
      {(detail) => (
        <Page
          title={i18n.t('Statement of {day}, {rail}', { day: detail.day, rail: detail.rail })}
          actions={<Actions detail={detail} />}
        >
          {detail.status === 'reading' && (
            <p className="note">
              {i18n.t(
                'The upload has not ended. If nobody is uploading the file now, it must be uploaded again.',
              )}
            </p>
          )}
          <Counts detail={detail} />
          <Section title={i18n.t('Differences')}>
            <Filters
              fields={[{ name: 'verdict', label: i18n.t('Difference'), choices: statementVerdicts }]}
              search={{ verdict }}
              onChange={(_, value) => void navigate({ to: '.', search: { verdict: value } })}
              onClear={() => void navigate({ to: '.', search: {} })}
            />
            <Table
              caption={i18n.t('Differences')}
              rows={detail.differences}
              keyOf={({ n }) => String(n)}
              empty={emptyText(detail, verdict !== undefined || after !== undefined)}
              columns={columns}
            />
            {detail.has_more && (
              <Link to="." search={{ verdict, after: String(detail.differences.at(-1)?.n ?? 0) }}>
                {i18n.t('Next')}
              </Link>
            )}
          </Section>
        </Page>
      )}
    </LoadedPage>
  )
}

/** Says that both agree only if the whole comparison is known to have found nothing. */
function emptyText(detail: Detail, isPart: boolean): string {
  if (detail.status === 'reading' || detail.status === 'matching')
    return i18n.t('The comparison has not ended yet.')
  const isClean = statementVerdicts.every((verdict) => detail[verdict] === 0)
  return isClean && !isPart && detail.status !== 'replaced'
    ? i18n.t('The statement and the ledger agree.')
    : i18n.t('No matching differences.')
}

const Counts = ({ detail }: { detail: Detail }) => (
  <Facts
    of={[
      [i18n.t('Status'), <Status key="status" of={detail.status} />],
      [i18n.t('Closed by'), detail.closed_by?.name ?? null],
      [i18n.t('Closed'), detail.closed_at !== null && <Time at={detail.closed_at} />],
      [i18n.t('Lines with money'), detail.money_lines],
      ...countsOf(detail),
    ]}
  />
)

const counted = ['matched', ...statementVerdicts] as const

const countsOf = (detail: Detail) =>
  counted.map(
    (name) => [name === 'matched' ? i18n.t('Matched') : wordOf(name), String(detail[name])] as const,
  )

function Actions({ detail }: { detail: Detail }) {
  const { id, status } = detail
  if (status === 'closed')
    return (
      <ChangeButton
        change="reopenStatement"
        id={id}
        action={i18n.t('Reopen the day')}
        consequence={<p>{i18n.t('Takes back that the day was closed. The audit log keeps both.')}</p>}
      />
    )
  if (status === 'matched')
    return (
      <ChangeButton
        change="closeStatement"
        id={id}
        action={i18n.t('Close the day')}
        seen={Object.fromEntries(counted.map((name) => [`seen_${name}`, String(detail[name])]))}
        consequence={
          <>
            <Facts of={countsOf(detail)} />
            <p>
              {i18n.t(
                'Ends the day with the counts that it has. It changes no payment. Another statement of the day needs it to be reopened first.',
              )}
            </p>
          </>
        }
      />
    )
  return status === 'matching' ? <Continue id={id} /> : null
}

/** A comparison whose browser was closed. */
function Continue({ id }: { id: string }) {
  const { csrf_token: csrfToken, role } = useMember()
  const client = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => compareAll(id, {}, csrfToken),
    onSettled: () => client.invalidateQueries(),
  })
  if (!reaches(role, 'operator')) return null
  return (
    <>
      <button type="button" aria-disabled={isPending} onClick={() => isPending || mutate()}>
        {isPending ? i18n.t('Comparing…') : i18n.t('Compare')}
      </button>
      {error && <ErrorPanel fault={error} />}
    </>
  )
}

const columns: readonly Column<Difference>[] = [
  { head: i18n.t('Line'), isFigure: true, cell: ({ line }) => line ?? <span className="quiet">–</span> },
  { head: i18n.t('Difference'), cell: ({ verdict }) => wordOf(verdict) },
  { head: i18n.t('Kind'), cell: ({ kind }) => wordOf(kind) },
  { head: i18n.t('Time, {zone}', { zone: zoneName }), cell: ({ at }) => <Time at={at} /> },
  {
    head: i18n.t('Statement'),
    isFigure: true,
    cell: ({ amount, currency }) =>
      amount === null ? (
        <span className="quiet">–</span>
      ) : (
        <>
          <ReportedMoney amount={amount} currency={currency} />
          {amount < 0 && <span className="quiet"> {i18n.t('reversed by the operator')}</span>}
        </>
      ),
  },
  {
    head: i18n.t('Ours'),
    isFigure: true,
    cell: (row) =>
      row.ledger_amount === null ? <span className="quiet">–</span> : <LedgerMoney row={row} />,
  },
  {
    head: i18n.t('Object'),
    cell: ({ about, payment_intent: payment }) =>
      about === null ? (
        <span className="quiet">–</span>
      ) : (
        <ObjectLink id={about} {...(payment !== null && { payment })} />
      ),
  },
  {
    head: i18n.t('Its status'),
    cell: ({ charge_status: status, unproven }) =>
      status && (
        <>
          <Status of={status} />
          {unproven && <span className="quiet"> {i18n.t('by a ruling alone')}</span>}
        </>
      ),
  },
  { head: i18n.t('Reference'), cell: ({ reference }) => reference && <code>{reference}</code> },
  { head: i18n.t('Transaction'), cell: ({ transaction }) => transaction && <code>{transaction}</code> },
  { head: i18n.t('Merchant'), cell: ({ merchant }) => merchant },
  { head: '', cell: (row) => <DifferenceActions row={row} /> },
]
