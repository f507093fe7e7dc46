import { days } from '../ui/filters.tsx'
import { ListScreen } from '../ui/list-screen.tsx'
import { approvalStatuses } from '../wire/words.ts'
import { approvalColumns } from './columns/approval-columns.tsx'

export const ApprovalsScreen = () => (
  <ListScreen
    title="Approvals"
    about="Changes that a second staff member must approve. Nothing is changed until then, and a request that nobody decides ends after a day."
    name="approvalRequests"
    empty="No request fits."
    fields={[
      { name: 'status', label: 'Status', choices: approvalStatuses },
      { name: 'merchant', label: 'Merchant', choices: 'merchants' },
      ...days,
    ]}
    columns={approvalColumns}
  />
)
