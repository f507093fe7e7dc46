import { days } from '../ui/filters.tsx'
import { ListScreen } from '../ui/list-screen.tsx'
import { fanoutColumns } from './columns/fanout-columns.tsx'

export const FanoutsScreen = () => (
  <ListScreen
    title="Fan-outs"
    about="Events without deliveries yet. A failed fan-out waits for an operator."
    name="fanouts"
    empty="All events have their deliveries."
    fields={[
      { name: 'state', label: 'State', choices: ['pending', 'failed'] },
      { name: 'merchant', label: 'Merchant', choices: 'merchants' },
      ...days,
    ]}
    columns={fanoutColumns}
  />
)
