import type { StaffCustomer } from '@merchant-payments/contract'
import { Link, useParams } from '@tanstack/react-router'
import { useRead } from '../queries.ts'
import { History } from '../ui/history.tsx'
import { ChangeButton } from '../ui/change-button.tsx'
import { CopiedId } from '../ui/copied-id.tsx'
import { Facts } from '../ui/facts.tsx'
import { Loaded, LoadedPage } from '../ui/loaded.tsx'
import { Metadata } from '../ui/metadata.tsx'
import { Page } from '../ui/page.tsx'
import { Section } from '../ui/section.tsx'
import { Table } from '../ui/table.tsx'
import { TotalsLine } from '../ui/totals.tsx'
import { Time } from '../ui/time.tsx'
import { paymentColumns } from './columns/payment-columns.tsx'
import { refundColumns } from './columns/refund-columns.tsx'
import { i18n } from '../i18n.ts'

export function CustomerScreen() {
  const { id } = useParams({ from: '/customers/$id' })
  // It does not refresh itself, because each read is an entry of the audit log.
  const customer = useRead('customer', { id })
  return (
    <LoadedPage title={i18n.t('Customer')} of={customer}>
      {(found) => <Customer key={found.id} customer={found} />}
    </LoadedPage>
  )
}

function Customer({ customer }: { customer: StaffCustomer }) {
  const { id, address, erased_at: erasedAt } = customer
  return (
    <Page
      title={i18n.t('Customer {id}', { id })}
      heading={
        erasedAt === null ? (customer.name ?? i18n.t('Customer without a name')) : i18n.t('Erased customer')
      }
      about={<CopiedId id={id} />}
      actions={
        erasedAt === null && (
          <ChangeButton
            change="eraseCustomer"
            id={id}
            action={i18n.t('Erase customer')}
            isGrave
            isTyped
            consequence={
              <>
                <p>
                  {i18n.t(
                    'Deletes name, phone, e-mail and address for good, with every copy in events, stored answers, charges, refunds and deliveries. Payments and invoices stay, without these data. A refund that was not sent yet fails.',
                  )}
                </p>
                <p className="note">
                  {i18n.t(
                    'Metadata and descriptions stay as they are, even if they hold personal data. The merchant must remove such data first, because an erased customer cannot be changed.',
                  )}
                </p>
              </>
            }
          />
        )
      }
    >
      <Facts
        of={[
          [i18n.t('Merchant'), customer.merchant],
          [i18n.t('Phone'), customer.phone],
          [i18n.t('E-mail'), customer.email],
          [i18n.t('Address'), address && placeOf(address)],
          [i18n.t('Created'), <Time key="t" at={customer.created} />],
          [i18n.t('Last used'), <Time key="t" at={customer.last_used_at} />],
          [i18n.t('Erased'), erasedAt && <Time key="t" at={erasedAt} />],
        ]}
      />
      <Metadata of={customer.metadata} />
      <History name="customerActivity" id={id} />
      <PaymentsOf customer={id} />
      <RefundsOf customer={id} />
      <ul className="ways">
        <li>
          <Link to="/payments" search={{ customer: id }}>
            {i18n.t('Payments of this customer')}
          </Link>
        </li>
        <li>
          <Link to="/invoices" search={{ customer: id }}>
            {i18n.t('Invoices')}
          </Link>
        </li>
        <li>
          <Link to="/refunds" search={{ customer: id }}>
            {i18n.t('Refunds')}
          </Link>
        </li>
      </ul>
    </Page>
  )
}

const NEWEST = '20'

function PaymentsOf({ customer }: { customer: string }) {
  const query = { customer }
  const list = useRead('payments', { query: { ...query, limit: NEWEST } })
  return (
    <Section title={i18n.t('Newest payments')}>
      <TotalsLine name="paymentTotals" query={query} />
      <Loaded of={list}>
        {({ data }) => (
          <Table
            caption={i18n.t('Newest payments')}
            columns={paymentColumns}
            rows={data}
            keyOf={({ id }) => id}
            empty={i18n.t('None.')}
          />
        )}
      </Loaded>
    </Section>
  )
}

function RefundsOf({ customer }: { customer: string }) {
  const query = { customer }
  const list = useRead('refunds', { query: { ...query, limit: NEWEST } })
  return (
    <Section title={i18n.t('Newest refunds')}>
      <TotalsLine name="refundTotals" query={query} />
      <Loaded of={list}>
        {({ data }) => (
          <Table
            caption={i18n.t('Newest refunds')}
            columns={refundColumns}
            rows={data}
            keyOf={({ id }) => id}
            empty={i18n.t('None.')}
          />
        )}
      </Loaded>
    </Section>
  )
}

const placeOf = (address: NonNullable<StaffCustomer['address']>): string =>
  [address.line1, address.line2, address.postal_code, address.city, address.state, address.country]
    .filter((line) => line !== null)
    .join(', ')
