import { days } from '../ui/filters.tsx'
import { ListScreen } from '../ui/list-screen.tsx'
import { fanoutColumns } from './columns/fanout-columns.tsx'
import { i18n } from '../i18n.ts'

export const FanoutsScreen = () => (
  <ListScreen
    title={i18n.t('Fan-outs')}
    about={i18n.t('Events without deliveries yet. A failed fan-out waits for an operator.')}
    name="fanouts"
    empty={i18n.t('All events have their deliveries.')}
    fields={[
      { name: 'state', label: i18n.t('State'), choices: ['pending', 'failed'] },
      { name: 'merchant', label: i18n.t('Merchant'), choices: 'merchants' },
      ...days,
    ]}
    columns={fanoutColumns}
  />
)
