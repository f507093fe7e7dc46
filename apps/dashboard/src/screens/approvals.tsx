import { approvalStatuses } from '@merchant-payments/contract/words'
import { days } from '../ui/filters.tsx'
import { ListScreen } from '../ui/list-screen.tsx'
import { approvalColumns } from './columns/approval-columns.tsx'
import { i18n } from '../i18n.ts'

export const ApprovalsScreen = () => (
  <ListScreen
    title={i18n.t('Approvals')}
    about={i18n.t(
      'Changes that a second staff member must approve. Nothing changes until then. A request without a decision ends after a day.',
    )}
    name="approvalRequests"
    empty={i18n.t('No matching requests.')}
    fields={[
      { name: 'status', label: i18n.t('Status'), choices: approvalStatuses },
      { name: 'merchant', label: i18n.t('Merchant'), choices: 'merchants' },
      ...days,
    ]}
    columns={approvalColumns}
  />
)
