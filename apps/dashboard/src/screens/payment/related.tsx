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
import { refundColumns } from '../columns/refund-columns.tsx'
import { returnColumns } from '../columns/return-columns.tsx'

const keyOf = ({ id }: { id: string }) => id

export const Refunds = ({ refunds }: { refunds: readonly StaffRefund[] }) => (
  <Section title="Refunds" count={refunds.length}>
    <Table caption="Refunds" columns={refundColumns} rows={refunds} keyOf={keyOf} empty="None." />
  </Section>
)

export const Returns = ({ returns }: { returns: readonly StaffChargeReturn[] }) => (
  <Section title="Returns of duplicate charges" count={returns.length}>
    <Table
      caption="Returns of duplicate charges"
      columns={returnColumns}
      rows={returns}
      keyOf={keyOf}
      empty="None."
    />
  </Section>
)

export const Approvals = ({ requests }: { requests: readonly ApprovalRequest[] }) => (
  <Section title="Requests for approval" count={requests.length}>
    <Table
      caption="Requests for approval"
      columns={approvalColumns}
      rows={requests}
      keyOf={keyOf}
      empty="None."
    />
  </Section>
)

export const Deliveries = ({ deliveries }: { deliveries: readonly StaffDelivery[] }) => (
  <Section title="Webhook deliveries" count={deliveries.length}>
    <Table
      caption="Webhook deliveries"
      columns={deliveryColumns}
      rows={deliveries}
      keyOf={keyOf}
      empty="None. The merchant has no endpoint, or nothing has happened."
    />
  </Section>
)

export const Events = ({ events }: { events: readonly StaffFanout[] }) => (
  <Section title="Events" count={events.length}>
    <Table caption="Events" columns={fanoutColumns} rows={events} keyOf={keyOf} empty="None." />
  </Section>
)

export const StaffChanges = ({ entries }: { entries: readonly AuditEntry[] }) => (
  <Section title="Changes by staff" count={entries.length}>
    <Table caption="Changes by staff" columns={auditColumns} rows={entries} keyOf={keyOf} empty="None." />
  </Section>
)
