import { Link } from '@tanstack/react-router'
import { ListScreen } from '../ui/list-screen.tsx'

const yesOrNo = (is: boolean) => (is ? 'Yes' : 'No')

export const RailsScreen = () => (
  <ListScreen
    title="Rails"
    about="The rails of the configuration. The deployment’s file has their addresses, the metrics show their health."
    name="rails"
    empty="The configuration names no rail."
    fields={[]}
    columns={[
      {
        head: 'Code',
        cell: ({ id }) => (
          <Link to="/payments" search={{ rail: id }}>
            {id}
          </Link>
        ),
      },
      { head: 'Name', cell: ({ name }) => name.en },
      {
        head: 'The payer',
        cell: ({ flow }) => (flow === 'push' ? 'approves on the phone' : 'goes to a page'),
      },
      { head: 'Currency', cell: ({ settlement_currency: currency }) => currency },
      { head: 'Refunds', cell: ({ refunds }) => yesOrNo(refunds) },
      { head: 'Account holders', cell: ({ account_holders: is }) => yesOrNo(is) },
    ]}
  />
)
