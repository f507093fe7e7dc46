import { BulkButton } from '../ui/bulk-button.tsx'
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
    ofSelected={(rows) => (
      <BulkButton
        kind="fanout.retry"
        ids={rows.filter(({ state }) => state === 'failed').map(({ id }) => id)}
        action={i18n.t('Retry fan-outs')}
        consequence={i18n.t('Those that have failed get five new passes. Correct the cause first.')}
      />
    )}
  />
)
