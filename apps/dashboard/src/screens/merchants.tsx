import type { MerchantClient } from '@merchant-payments/contract'
import { clientStatuses } from '@merchant-payments/contract/words'
import { Link } from '@tanstack/react-router'
import { Address } from '../ui/address.tsx'
import { ChangeButton } from '../ui/change-button.tsx'
import { ListScreen } from '../ui/list-screen.tsx'
import { Status } from '../ui/status.tsx'
import { agoOf } from '../ui/time.tsx'
import { i18n } from '../i18n.ts'

export const MerchantsScreen = () => (
  <ListScreen
    title={i18n.t('Merchants')}
    about={i18n.t(
      'The clients of this deployment’s configuration. A disabled client is refused everywhere at once.',
    )}
    name="merchantClients"
    empty={i18n.t('The configuration names no client.')}
    fields={[{ name: 'status', label: i18n.t('Status'), choices: clientStatuses }]}
    columns={[
      {
        head: i18n.t('Client id'),
        cell: ({ id }) => (
          <Link to="/merchants/$id" params={{ id }}>
            {id}
          </Link>
        ),
      },
      {
        head: i18n.t('Name'),
        cell: ({ name, configured }) =>
          configured ? name : <span className="quiet">{i18n.t('No longer configured')}</span>,
      },
      {
        head: i18n.t('Status'),
        cell: ({ disabled }) => <Status of={disabled === null ? 'enabled' : 'disabled'} />,
      },
      {
        head: i18n.t('Since'),
        cell: ({ disabled }) =>
          disabled && (
            <span className="prose">
              {agoOf(disabled.at)}: {disabled.reason}
            </span>
          ),
      },
      { head: i18n.t('Scopes'), cell: ({ scopes }) => <span className="words">{scopes.join(' ')}</span> },
      {
        head: i18n.t('Keys'),
        cell: ({ key_ids: ids }) => <code title={ids.join(', ')}>{ids.join(', ')}</code>,
      },
      {
        head: i18n.t('Endpoints'),
        cell: ({ endpoints }) => (
          <ul>
            {endpoints.map(({ id, url }) => (
              <li key={id} className="address">
                {id}: <Address of={url} />
              </li>
            ))}
          </ul>
        ),
      },
      { head: '', cell: (client) => <ClientActions client={client} /> },
    ]}
  />
)

export const ClientActions = ({ client: { id, disabled } }: { client: MerchantClient }) =>
  disabled === null ? (
    <ChangeButton
      change="disableClient"
      id={id}
      action={i18n.t('Disable')}
      isGrave
      isTyped
      consequence={
        <p>
          {i18n.t(
            'Every request of this merchant is refused from now on. Payments under way are still settled, and webhooks are still delivered.',
          )}
        </p>
      }
    />
  ) : (
    <ChangeButton
      change="enableClient"
      id={id}
      action={i18n.t('Enable')}
      consequence={<p>{i18n.t('The service accepts the merchant’s requests again.')}</p>}
    />
  )
