import { type AuditAction, Refusal } from '@merchant-payments/contract'
import type { PlainAlert } from '../base/alerts.ts'
import type { Deps } from '../deps.ts'
import type { Changed, StaffRequest } from './change.ts'

const alertOf: Partial<Readonly<Record<AuditAction, PlainAlert>>> = {
  'approval.request': 'staff_approval_requested',
  'approval.approve': 'staff_approval_given',
  'approval.decline': 'staff_approval_declined',
  'approval.lapse': 'staff_approval_obsolete',
}

/** Alerts after the change has committed, and not for a repeated request. */
export async function alertOfChange(
  { alert }: Pick<Deps, 'alert'>,
  { staff, requestId }: StaffRequest,
  change: Promise<Changed>,
): Promise<Changed> {
  const changed = await change.catch((error: unknown) => {
    if (error instanceof Refusal && error.code === 'staff_limit_reached') {
      alert('staff_limit_reached', { staff: staff.subject, role: staff.role, request: requestId })
    }
    throw error
  })
  const { id: entry, action, target, merchant, after } = changed.entry
  const name = alertOf[action]
  if (name !== undefined && !changed.replayed) {
    const { approval, kind } = after
    alert(name, { entry, approval: String(approval), kind: String(kind), target, merchant })
  }
  return changed
}
