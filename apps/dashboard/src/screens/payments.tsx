import { days } from '../ui/filters.tsx'
import { ListScreen } from '../ui/list-screen.tsx'
import { Money } from '../ui/money.tsx'
import { ObjectLink } from '../ui/object-link.tsx'
import { Status } from '../ui/status.tsx'
import { Time } from '../ui/time.tsx'
import { intentStatuses } from '../wire/words.ts'

export const PaymentsScreen = () => (
  <ListScreen
    title="Payments"
    name="payments"
    empty="No matching payments. Remove a filter, or choose a longer time."
    fields={[
      { name: 'status', label: 'Status', choices: intentStatuses },
      { name: 'rail', label: 'Rail', choices: 'rails' },
      { name: 'merchant', label: 'Merchant', choices: 'merchants' },
      { name: 'payer', label: 'Payer’s number', placeholder: '670 00 00 01', isNumber: true },
      { name: 'customer', label: 'Customer', placeholder: 'cus_…' },
      ...days,
    ]}
    columns={[
      { head: 'Created, UTC', cell: ({ created }) => <Time at={created} /> },
      { head: 'Payment', cell: ({ id }) => <ObjectLink id={id} /> },
      {
        head: 'Amount',
        isFigure: true,
        cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
      },
      { head: 'Status', cell: ({ status }) => <Status of={status} /> },
      { head: 'Rail', cell: ({ charge }) => charge?.rail ?? <span className="quiet">–</span> },
      { head: 'Last charge', cell: ({ charge }) => charge && <Status of={charge.status} /> },
      { head: 'Merchant', cell: ({ merchant }) => merchant },
      { head: 'Description', cell: ({ description }) => description },
    ]}
  />
)
