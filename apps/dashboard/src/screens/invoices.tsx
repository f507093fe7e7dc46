import { days } from '../ui/filters.tsx'
import { ListScreen } from '../ui/list-screen.tsx'
import { Money } from '../ui/money.tsx'
import { ObjectLink } from '../ui/object-link.tsx'
import { Status } from '../ui/status.tsx'
import { Time } from '../ui/time.tsx'
import { invoiceStatuses } from '../wire/words.ts'

export const InvoicesScreen = () => (
  <ListScreen
    title="Invoices"
    name="invoices"
    empty="No matching invoices."
    fields={[
      { name: 'status', label: 'Status', choices: invoiceStatuses },
      { name: 'merchant', label: 'Merchant', choices: 'merchants' },
      { name: 'customer', label: 'Customer', placeholder: 'cus_…' },
      ...days,
    ]}
    columns={[
      { head: 'Created, UTC', cell: ({ created }) => <Time at={created} /> },
      { head: 'Invoice', cell: ({ id }) => <ObjectLink id={id} /> },
      { head: 'Number', cell: ({ number }) => number ?? <span className="quiet">–</span> },
      {
        head: 'Total',
        isFigure: true,
        cell: ({ total, currency }) => <Money amount={total} currency={currency} />,
      },
      {
        head: 'Remaining',
        isFigure: true,
        cell: ({ amount_remaining: amount, currency }) => <Money amount={amount} currency={currency} />,
      },
      { head: 'Status', cell: ({ status }) => <Status of={status} /> },
      { head: 'Due', cell: ({ due_date: at }) => <Time at={at} /> },
      { head: 'Customer', cell: ({ customer }) => <ObjectLink id={customer} /> },
      { head: 'Merchant', cell: ({ merchant }) => merchant },
    ]}
  />
)
