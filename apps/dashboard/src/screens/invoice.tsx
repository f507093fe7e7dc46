import type { StaffInvoice } from '@merchant-payments/contract'
import { useParams } from '@tanstack/react-router'
import { useRead } from '../queries.ts'
import { ChangeButton } from '../ui/change-button.tsx'
import { CopiedId } from '../ui/copied-id.tsx'
import { Facts } from '../ui/facts.tsx'
import { LoadedPage } from '../ui/loaded.tsx'
import { Metadata } from '../ui/metadata.tsx'
import { Money } from '../ui/money.tsx'
import { ObjectLink } from '../ui/object-link.tsx'
import { Page } from '../ui/page.tsx'
import { Section } from '../ui/section.tsx'
import { Status } from '../ui/status.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { invoiceWordOf } from '../ui/words.ts'
import { i18n } from '../i18n.ts'

const REFRESH_MS = 5_000

export function InvoiceScreen() {
  const { id } = useParams({ from: '/invoices/$id' })
  const invoice = useRead('invoice', { id }, { everyMs: REFRESH_MS })
  return (
    <LoadedPage title={i18n.t('Invoice')} of={invoice}>
      {(found) => <Invoice key={found.id} invoice={found} />}
    </LoadedPage>
  )
}

function Invoice({ invoice }: { invoice: StaffInvoice }) {
  const { id, number, currency, status } = invoice
  const { finalized_at, paid_at, voided_at, marked_uncollectible_at } = invoice.status_transitions
  return (
    <Page
      title={i18n.t('Invoice {number}', { number: number ?? id })}
      heading={
        <>
          {number === null ? i18n.t('Invoice of') : i18n.t('Invoice {number} of', { number })}{' '}
          <Money amount={invoice.total} currency={currency} /> <Status of={status} textOf={invoiceWordOf} />
        </>
      }
      about={<CopiedId id={id} />}
      actions={<InvoiceActions invoice={invoice} />}
    >
      <div className="columns">
        <Section title={i18n.t('Lines')} count={invoice.lines.data.length} isCut={invoice.lines.has_more}>
          <Table
            caption={i18n.t('Lines')}
            columns={lineColumns}
            rows={invoice.lines.data}
            keyOf={(line) => line.id}
            empty={i18n.t('None.')}
          />
        </Section>
        <aside aria-label={i18n.t('About this invoice')}>
          <Facts
            of={[
              [i18n.t('Merchant'), invoice.merchant],
              [i18n.t('Customer'), <ObjectLink key="c" id={invoice.customer} />],
              [
                i18n.t('Payment'),
                invoice.payment_intent && <ObjectLink key="p" id={invoice.payment_intent} />,
              ],
              [i18n.t('Description'), invoice.description],
              [i18n.t('Paid'), <Money key="m" amount={invoice.amount_paid} currency={currency} />],
              [i18n.t('Remaining'), <Money key="m" amount={invoice.amount_remaining} currency={currency} />],
              [i18n.t('Due'), invoice.due_date && <Time key="t" at={invoice.due_date} />],
              [i18n.t('Created'), <Time key="t" at={invoice.created} />],
              [i18n.t('Finalized'), finalized_at && <Time key="t" at={finalized_at} />],
              [i18n.t('Paid at'), paid_at && <Time key="t" at={paid_at} />],
              [i18n.t('Voided'), voided_at && <Time key="t" at={voided_at} />],
              [
                i18n.t('Uncollectible since'),
                marked_uncollectible_at && <Time key="t" at={marked_uncollectible_at} />,
              ],
            ]}
          />
          <Metadata of={invoice.metadata} />
        </aside>
      </div>
    </Page>
  )
}

function InvoiceActions({ invoice: { id, status } }: { invoice: StaffInvoice }) {
  const canEnd = status === 'open' || status === 'uncollectible'
  return (
    <>
      {status === 'open' && (
        <ChangeButton
          change="markInvoiceUncollectible"
          id={id}
          action={i18n.t('Mark uncollectible')}
          consequence={<p>{i18n.t('The merchant no longer expects to be paid. It can still be paid.')}</p>}
        />
      )}
      {canEnd && (
        <ChangeButton
          change="voidInvoice"
          id={id}
          action={i18n.t('Void')}
          isGrave
          consequence={
            <p>{i18n.t('The invoice and its payment can no longer be paid. This cannot be undone.')}</p>
          }
        />
      )}
    </>
  )
}

type Line = StaffInvoice['lines']['data'][number]

const lineColumns: readonly Column<Line>[] = [
  {
    head: i18n.t('Line'),
    cell: ({ description, id }) =>
      description === null ? <code>{id}</code> : <span className="prose">{description}</span>,
  },
  {
    head: i18n.t('Amount'),
    isFigure: true,
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
  },
]
