import { days } from '../ui/filters.tsx'
import { ListScreen } from '../ui/list-screen.tsx'
import { ObjectLink } from '../ui/object-link.tsx'
import { Time } from '../ui/time.tsx'

export const CustomersScreen = () => (
  <ListScreen
    title="Customers"
    name="customers"
    empty="No matching customers."
    fields={[
      { name: 'payer', label: 'Phone', placeholder: '670 00 00 01', isNumber: true },
      { name: 'merchant', label: 'Merchant', choices: 'merchants' },
      ...days,
    ]}
    columns={[
      { head: 'Created, UTC', cell: ({ created }) => <Time at={created} /> },
      { head: 'Customer', cell: ({ id }) => <ObjectLink id={id} /> },
      {
        head: 'Name',
        cell: ({ name, erased_at: erasedAt }) =>
          erasedAt === null ? name : <span className="quiet">Erased</span>,
      },
      { head: 'Phone', cell: ({ phone }) => phone },
      { head: 'E-mail', cell: ({ email }) => email },
      { head: 'Last used', cell: ({ last_used_at: at }) => <Time at={at} /> },
      { head: 'Merchant', cell: ({ merchant }) => merchant },
    ]}
  />
)
