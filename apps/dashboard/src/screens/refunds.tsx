import { days } from '../ui/filters.tsx'
import { ListScreen } from '../ui/list-screen.tsx'
import { instructions, refundQueues, refundStatuses } from '../wire/words.ts'
import { refundColumns } from './columns/refund-columns.tsx'

export const RefundsScreen = () => (
  <ListScreen
    title="Refunds"
    name="refunds"
    empty="No matching refunds."
    fields={[
      { name: 'status', label: 'Status', choices: refundStatuses },
      { name: 'instruction', label: 'Instruction', choices: instructions },
      { name: 'queue', label: 'Queue', choices: refundQueues },
      { name: 'rail', label: 'Rail', choices: 'rails' },
      { name: 'merchant', label: 'Merchant', choices: 'merchants' },
      { name: 'payment_intent', label: 'Payment', placeholder: 'pi_…' },
      { name: 'customer', label: 'Customer', placeholder: 'cus_…' },
      ...days,
    ]}
    columns={refundColumns}
  />
)
