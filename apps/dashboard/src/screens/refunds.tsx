import { instructionStates, refundQueues, refundStatuses } from '@merchant-payments/contract/words'
import { amounts, days } from '../ui/filters.tsx'
import { ListScreen } from '../ui/list-screen.tsx'
import { aboutAccepted, refundColumns } from './columns/refund-columns.tsx'
import { i18n } from '../i18n.ts'

export const RefundsScreen = () => (
  <ListScreen
    title={i18n.t('Refunds')}
    about={aboutAccepted}
    name="refunds"
    totals="refundTotals"
    empty={i18n.t('No matching refunds.')}
    fields={[
      { name: 'status', label: i18n.t('Status'), choices: refundStatuses },
      { name: 'instruction', label: i18n.t('Instruction'), choices: instructionStates },
      { name: 'queue', label: i18n.t('Queue'), choices: refundQueues },
      { name: 'rail', label: i18n.t('Rail'), choices: 'rails' },
      { name: 'merchant', label: i18n.t('Merchant'), choices: 'merchants' },
      ...amounts,
      { name: 'payment_intent', label: i18n.t('Payment'), placeholder: 'pi_…' },
      { name: 'customer', label: i18n.t('Customer'), placeholder: 'cus_…' },
      ...days,
    ]}
    columns={refundColumns}
  />
)
