import { days } from '../ui/filters.tsx'
import { Id } from '../ui/id.tsx'
import { ListScreen } from '../ui/list-screen.tsx'
import { Money } from '../ui/money.tsx'
import { ObjectLink } from '../ui/object-link.tsx'
import { Status } from '../ui/status.tsx'
import { agoOf, Time } from '../ui/time.tsx'
import { ChargeActions } from './charge-actions.tsx'

export const StuckChargesScreen = () => (
  <ListScreen
    title="Stuck charges"
    about="Charges that have waited for their rail for more than fifteen minutes."
    name="stuckCharges"
    empty="No charge is stuck."
    fields={[
      { name: 'rail', label: 'Rail', choices: 'rails' },
      { name: 'merchant', label: 'Merchant', choices: 'merchants' },
      ...days,
    ]}
    columns={[
      { head: 'Opened, UTC', cell: ({ created }) => <Time at={created} /> },
      { head: 'Age', cell: ({ created }) => agoOf(created) },
      { head: 'Payment', cell: ({ payment_intent: id }) => <ObjectLink id={id} /> },
      { head: 'Charge', cell: ({ id }) => <Id of={id} /> },
      {
        head: 'Amount',
        isFigure: true,
        cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
      },
      { head: 'Status', cell: ({ status }) => <Status of={status} /> },
      { head: 'Rail', cell: ({ rail }) => rail },
      { head: 'Last query', cell: ({ last_query_at: at }) => <Time at={at} /> },
      { head: 'Next query', cell: ({ next_query_at: at }) => <Time at={at} /> },
      { head: 'Merchant', cell: ({ merchant }) => merchant },
      { head: '', cell: (charge) => <ChargeActions charge={charge} /> },
    ]}
  />
)
