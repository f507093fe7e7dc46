import { days } from '../ui/filters.tsx'
import { ListScreen } from '../ui/list-screen.tsx'
import { deliveryStatuses, eventTypes } from '../wire/words.ts'
import { deliveryColumns } from './columns/delivery-columns.tsx'

export const DeliveriesScreen = () => (
  <ListScreen
    title="Webhook deliveries"
    about="One event on its way to one endpoint, over up to eight attempts."
    name="deliveries"
    empty="No matching deliveries. Remove a filter, or choose a longer time."
    fields={[
      { name: 'status', label: 'Status', choices: deliveryStatuses },
      { name: 'merchant', label: 'Merchant', choices: 'merchants' },
      { name: 'endpoint', label: 'Endpoint', placeholder: 'main' },
      { name: 'event_type', label: 'Event type', choices: eventTypes },
      { name: 'event', label: 'Event', placeholder: 'evt_…' },
      ...days,
    ]}
    columns={deliveryColumns}
  />
)
