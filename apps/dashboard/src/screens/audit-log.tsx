import { days } from '../ui/filters.tsx'
import { ListScreen } from '../ui/list-screen.tsx'
import { actionOf } from '../ui/words.ts'
import { auditActions } from '../wire/words.ts'
import { auditColumns } from './columns/audit-columns.tsx'

export const AuditLogScreen = () => (
  <ListScreen
    title="Audit log"
    about="Every change by staff, and every look-up of a person. Numbers appear as keyed hashes. Entries never change."
    name="auditEntries"
    empty="No matching entries."
    fields={[
      { name: 'action', label: 'Action', choices: auditActions, textOf: actionOf },
      { name: 'actor', label: 'Who', choices: 'colleagues' },
      { name: 'target', label: 'Object', placeholder: 'pi_…' },
      { name: 'merchant', label: 'Merchant', choices: 'merchants' },
      ...days,
    ]}
    columns={auditColumns}
  />
)
