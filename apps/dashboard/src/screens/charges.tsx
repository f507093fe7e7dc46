import { useSearch } from '@tanstack/react-router'
import type { Search } from '../search.ts'
import { days } from '../ui/filters.tsx'
import { Id } from '../ui/id.tsx'
import { ListScreen } from '../ui/list-screen.tsx'
import { Money } from '../ui/money.tsx'
import { ObjectLink } from '../ui/object-link.tsx'
import { Status } from '../ui/status.tsx'
import { agoOf, Time } from '../ui/time.tsx'
import { chargeStates } from '../wire/words.ts'
import { ChargeActions } from './charge-actions.tsx'
import { Reported } from './payment/reported.tsx'
import { ReturnAction } from './payment/return-action.tsx'

const aboutOf: Readonly<Record<(typeof chargeStates)[number], string>> = {
  open: 'Charges whose outcome is open.',
  stuck: 'Charges that have waited for their rail for more than fifteen minutes.',
  duplicate: 'Money that was collected beside another success and is not returned yet.',
  mismatch: 'Charges for which the rail reports money of another amount or currency. It settles nothing.',
}

export function ChargesScreen() {
  const { state }: Search = useSearch({ strict: false })
  const known = chargeStates.find((one) => one === state)
  return (
    <ListScreen
      title="Charges"
      about={known === undefined ? 'Each attempt to collect a payment on a rail.' : aboutOf[known]}
      name="charges"
      empty="No matching charges."
      fields={[
        { name: 'state', label: 'State', choices: chargeStates },
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
        { head: 'The rail reports', cell: (charge) => <Reported charge={charge} /> },
        { head: 'Rail', cell: ({ rail }) => rail },
        { head: 'Last check', cell: ({ last_query_at: at }) => <Time at={at} /> },
        { head: 'Next check', cell: ({ next_query_at: at }) => <Time at={at} /> },
        { head: 'Merchant', cell: ({ merchant }) => merchant },
        {
          head: '',
          cell: (charge) => (
            <>
              <ChargeActions charge={charge} />
              <ReturnAction charge={charge} />
            </>
          ),
        },
      ]}
    />
  )
}
