import type { MerchantClient } from '@merchant-payments/contract'
import { Link } from '@tanstack/react-router'
import { ChangeButton } from '../ui/change-button.tsx'
import { ListScreen } from '../ui/list-screen.tsx'
import { Status } from '../ui/status.tsx'
import { agoOf } from '../ui/time.tsx'
import { clientStatuses } from '../wire/words.ts'

export const MerchantsScreen = () => (
  <ListScreen
    title="Merchants"
    about="The clients of this deployment’s configuration. A disabled client is refused everywhere at once."
    name="merchantClients"
    empty="The configuration names no client."
    fields={[{ name: 'status', label: 'Status', choices: clientStatuses }]}
    columns={[
      {
        head: 'Client',
        cell: ({ id }) => (
          <Link to="/payments" search={{ merchant: id }}>
            {id}
          </Link>
        ),
      },
      {
        head: 'Name',
        cell: ({ name, configured }) =>
          configured ? name : <span className="quiet">No longer configured</span>,
      },
      { head: 'Status', cell: ({ disabled }) => <Status of={disabled === null ? 'enabled' : 'disabled'} /> },
      {
        head: 'Since',
        cell: ({ disabled }) =>
          disabled && (
            <span className="prose">
              {agoOf(disabled.at)}: {disabled.reason}
            </span>
          ),
      },
      { head: 'Scopes', cell: ({ scopes }) => scopes.join(' ') },
      { head: 'Keys', cell: ({ key_ids: ids }) => <code title={ids.join(', ')}>{ids.join(', ')}</code> },
      {
        head: 'Endpoints',
        cell: ({ endpoints }) => (
          <span className="prose">{endpoints.map(({ id, url }) => `${id}: ${url}`).join(', ')}</span>
        ),
      },
      { head: '', cell: (client) => <ClientActions client={client} /> },
    ]}
  />
)

const ClientActions = ({ client: { id, disabled } }: { client: MerchantClient }) =>
  disabled === null ? (
    <ChangeButton
      change="disableClient"
      id={id}
      action="Disable"
      isGrave
      isTyped
      consequence={
        <p>
          Every request of this merchant is refused from now on. Payments under way are still settled, and
          webhooks are still delivered.
        </p>
      }
    />
  ) : (
    <ChangeButton
      change="enableClient"
      id={id}
      action="Enable"
      consequence={<p>The service accepts the merchant’s requests again.</p>}
    />
  )
