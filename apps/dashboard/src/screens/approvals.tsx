import { days } from '../ui/filters.tsx'
import { ListScreen } from '../ui/list-screen.tsx'
import { approvalStatuses } from '../wire/words.ts'
import { approvalColumns } from './columns/approval-columns.tsx'

export const ApprovalsScreen = () => (
  <ListScreen
    title="Approvals"
    about="Changes that a second staff member must approve. Nothing changes until then. A request without a decision ends after a day."
    name="approvalRequests"
    empty="No matching requests."
    fields={[
      { name: 'status', label: 'Status', choices: approvalStatuses },
      { name: 'merchant', label: 'Merchant', choices: 'merchants' },
      ...days,
    ]}
    columns={approvalColumns}
  />
)
