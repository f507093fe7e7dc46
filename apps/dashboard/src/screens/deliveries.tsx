import { eventTypes, shownDeliveryStatuses } from '@merchant-payments/contract/words'
import { useSearch } from '@tanstack/react-router'
import type { Search } from '../search.ts'
import { BulkButton } from '../ui/bulk-button.tsx'
import { days } from '../ui/filters.tsx'
import { ListScreen } from '../ui/list-screen.tsx'
import { deliveryColumns } from './columns/delivery-columns.tsx'
import { RecoverButton } from './recover-button.tsx'
import { i18n } from '../i18n.ts'

export function DeliveriesScreen() {
  const { merchant, endpoint }: Search = useSearch({ strict: false })
  return (
    <ListScreen
      title={i18n.t('Webhook deliveries')}
      about={i18n.t('One event on its way to one endpoint, over up to eight attempts.')}
      name="deliveries"
      empty={i18n.t('No matching deliveries. Remove a filter, or choose a longer time.')}
      fields={[
        { name: 'status', label: i18n.t('Status'), choices: shownDeliveryStatuses },
        { name: 'merchant', label: i18n.t('Merchant'), choices: 'merchants' },
        { name: 'endpoint', label: i18n.t('Endpoint'), placeholder: 'main' },
        { name: 'event_type', label: i18n.t('Event type'), choices: eventTypes },
        { name: 'event', label: i18n.t('Event'), placeholder: 'evt_…' },
        ...days,
      ]}
      columns={deliveryColumns}
      actions={
        merchant !== undefined &&
        endpoint !== undefined && <RecoverButton merchant={merchant} endpoint={endpoint} />
      }
      ofSelected={(rows) => (
        <BulkButton
          kind="delivery.replay"
          ids={rows
            .filter(({ status, dead_lettered: isDead }) => status === 'exhausted' || isDead)
            .map(({ id }) => id)}
          action={i18n.t('Send again')}
          consequence={i18n.t('Those that are exhausted or stopped by a fault get a new series of attempts.')}
        />
      )}
    />
  )
}
