import type {
  ApprovalRequest,
  AuditEntry,
  StaffChargeReturn,
  StaffDelivery,
  StaffFanout,
  StaffRefund,
} from '@merchant-payments/contract'
import { Section } from '../../ui/section.tsx'
import { Table } from '../../ui/table.tsx'
import { approvalColumns } from '../columns/approval-columns.tsx'
import { auditColumns } from '../columns/audit-columns.tsx'
import { deliveryColumns } from '../columns/delivery-columns.tsx'
import { fanoutColumns } from '../columns/fanout-columns.tsx'
import { aboutAccepted, refundColumns } from '../columns/refund-columns.tsx'
import { returnColumns } from '../columns/return-columns.tsx'
import { i18n } from '../../i18n.ts'

/** The API shows at most this many of each kind. */
const LISTED_MAX = 100

/** The count of a section's rows. */
export const counted = ({ length }: readonly unknown[]) => ({ count: length, isCut: length >= LISTED_MAX })

const keyOf = ({ id }: { id: string }) => id

const AboutAccepted = ({ of: payouts }: { of: readonly Pick<StaffRefund, 'instruction'>[] }) =>
  payouts.some(({ instruction }) => instruction === 'accepted') && <p className="quiet">{aboutAccepted}</p>

interface RefundsProps {
  readonly refunds: readonly StaffRefund[]
  readonly isCut: boolean
}

export const Refunds = ({ refunds, isCut }: RefundsProps) => (
  <Section title={i18n.t('Refunds')} count={refunds.length} isCut={isCut}>
    <Table
      caption={i18n.t('Refunds')}
      columns={refundColumns}
      rows={refunds}
      keyOf={keyOf}
      empty={i18n.t('None.')}
    />
    <AboutAccepted of={refunds} />
  </Section>
)

export const Returns = ({ returns }: { returns: readonly StaffChargeReturn[] }) => (
  <Section title={i18n.t('Returns of duplicate charges')} {...counted(returns)}>
    <Table
      caption={i18n.t('Returns of duplicate charges')}
      columns={returnColumns}
      rows={returns}
      keyOf={keyOf}
      empty={i18n.t('None.')}
    />
    <AboutAccepted of={returns} />
  </Section>
)

export const Approvals = ({ requests }: { requests: readonly ApprovalRequest[] }) => (
  <Section title={i18n.t('Requests for approval')} {...counted(requests)}>
    <Table
      caption={i18n.t('Requests for approval')}
      columns={approvalColumns}
      rows={requests}
      keyOf={keyOf}
      empty={i18n.t('None.')}
    />
  </Section>
)

export const Deliveries = ({ deliveries }: { deliveries: readonly StaffDelivery[] }) => (
  <Section title={i18n.t('Webhook deliveries')} {...counted(deliveries)}>
    <Table
      caption={i18n.t('Webhook deliveries')}
      columns={deliveryColumns}
      rows={deliveries}
      keyOf={keyOf}
      empty={i18n.t('None. The merchant has no endpoint, or nothing has happened.')}
    />
  </Section>
)

export const Events = ({ events }: { events: readonly StaffFanout[] }) => (
  <Section title={i18n.t('Events')} {...counted(events)}>
    <Table
      caption={i18n.t('Events')}
      columns={fanoutColumns}
      rows={events}
      keyOf={keyOf}
      empty={i18n.t('None.')}
    />
  </Section>
)

export const StaffChanges = ({ entries }: { entries: readonly AuditEntry[] }) => (
  <Section title={i18n.t('Changes by staff')} {...counted(entries)}>
    <Table
      caption={i18n.t('Changes by staff')}
      columns={auditColumns}
      rows={entries}
      keyOf={keyOf}
      empty={i18n.t('None.')}
    />
  </Section>
)
