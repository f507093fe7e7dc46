import { days } from '../ui/filters.tsx'
import { ListScreen } from '../ui/list-screen.tsx'
import { fanoutColumns } from './columns/fanout-columns.tsx'

export const FanoutsScreen = () => (
  <ListScreen
    title="Fan-outs"
    about="Events that have not become deliveries yet. A failed one waits for an operator."
    name="fanouts"
    empty="Every event has become its deliveries."
    fields={[
      { name: 'state', label: 'State', choices: ['pending', 'failed'] },
      { name: 'merchant', label: 'Merchant', choices: 'merchants' },
      ...days,
    ]}
    columns={fanoutColumns}
  />
)
