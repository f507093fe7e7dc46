import { days } from '../ui/filters.tsx'
import { ListScreen } from '../ui/list-screen.tsx'
import { deliveryStatuses, eventTypes } from '../wire/words.ts'
import { deliveryColumns } from './columns/delivery-columns.tsx'
import { i18n } from '../i18n.ts'

export const DeliveriesScreen = () => (
  <ListScreen
    title={i18n.t('Webhook deliveries')}
    about={i18n.t('One event on its way to one endpoint, over up to eight attempts.')}
    name="deliveries"
    empty={i18n.t('No matching deliveries. Remove a filter, or choose a longer time.')}
    fields={[
      { name: 'status', label: i18n.t('Status'), choices: deliveryStatuses },
      { name: 'merchant', label: i18n.t('Merchant'), choices: 'merchants' },
      { name: 'endpoint', label: i18n.t('Endpoint'), placeholder: 'main' },
      { name: 'event_type', label: i18n.t('Event type'), choices: eventTypes },
      { name: 'event', label: i18n.t('Event'), placeholder: 'evt_…' },
      ...days,
    ]}
    columns={deliveryColumns}
  />
)
