import { invoiceStatuses } from '@merchant-payments/contract/words'
import { days } from '../ui/filters.tsx'
import { ListScreen } from '../ui/list-screen.tsx'
import { Money } from '../ui/money.tsx'
import { ObjectLink } from '../ui/object-link.tsx'
import { Status } from '../ui/status.tsx'
import { Time } from '../ui/time.tsx'
import { invoiceWordOf } from '../ui/words.ts'
import { i18n } from '../i18n.ts'
import { zoneName } from '../zone.ts'

export const InvoicesScreen = () => (
  <ListScreen
    title={i18n.t('Invoices')}
    name="invoices"
    empty={i18n.t('No matching invoices.')}
    fields={[
      { name: 'status', label: i18n.t('Status'), choices: invoiceStatuses, textOf: invoiceWordOf },
      { name: 'merchant', label: i18n.t('Merchant'), choices: 'merchants' },
      { name: 'customer', label: i18n.t('Customer'), placeholder: 'cus_…' },
      ...days,
    ]}
    columns={[
      { head: i18n.t('Created, {zone}', { zone: zoneName }), cell: ({ created }) => <Time at={created} /> },
      { head: i18n.t('Invoice'), cell: ({ id }) => <ObjectLink id={id} /> },
      { head: i18n.t('Number'), cell: ({ number }) => number ?? <span className="quiet">–</span> },
      {
        head: i18n.t('Total'),
        isFigure: true,
        cell: ({ total, currency }) => <Money amount={total} currency={currency} />,
      },
      {
        head: i18n.t('Remaining'),
        isFigure: true,
        cell: ({ amount_remaining: amount, currency }) => <Money amount={amount} currency={currency} />,
      },
      { head: i18n.t('Status'), cell: ({ status }) => <Status of={status} textOf={invoiceWordOf} /> },
      { head: i18n.t('Due'), cell: ({ due_date: at }) => <Time at={at} /> },
      { head: i18n.t('Customer'), cell: ({ customer }) => <ObjectLink id={customer} /> },
      { head: i18n.t('Merchant'), cell: ({ merchant }) => merchant },
    ]}
  />
)
