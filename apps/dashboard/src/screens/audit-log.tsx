import { auditActions } from '@merchant-payments/contract/words'
import { days } from '../ui/filters.tsx'
import { ListScreen } from '../ui/list-screen.tsx'
import { actionOf } from '../ui/words.ts'
import { auditColumns } from './columns/audit-columns.tsx'
import { i18n } from '../i18n.ts'

export const AuditLogScreen = () => (
  <ListScreen
    title={i18n.t('Audit log')}
    about={i18n.t(
      'Every change by staff, and every look-up of a person. Numbers appear as keyed hashes. Entries never change.',
    )}
    name="auditEntries"
    empty={i18n.t('No matching entries.')}
    fields={[
      { name: 'action', label: i18n.t('Action'), choices: auditActions, textOf: actionOf },
      { name: 'actor', label: i18n.t('Who'), choices: 'colleagues' },
      { name: 'target', label: i18n.t('Object'), placeholder: 'pi_…' },
      { name: 'merchant', label: i18n.t('Merchant'), choices: 'merchants' },
      ...days,
    ]}
    columns={auditColumns}
  />
)
