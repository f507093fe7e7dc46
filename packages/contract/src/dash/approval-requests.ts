import { z } from 'zod'
import { currencies } from '../currency.ts'
import { listOf } from '../list.ts'
import { change, instant, staffListQuery, staffRead } from './common.ts'

/** The changes that a second staff member approves, by the name that the audit log has for each. */
export const approvalKinds = ['charge.resolve', 'charge.return', 'refund.create'] as const

export const approvalStatuses = ['pending', 'approved', 'declined', 'expired', 'obsolete'] as const

const person = z.strictObject({ subject: z.string(), name: z.string() })

/** A change that one staff member asked for, and that is made once another one approves it. */
export const ApprovalRequest = z.strictObject({
  id: z.string().regex(/^apr_[0-9a-f]{32}$/),
  object: z.literal('approval_request'),
  merchant: z.string(),
  kind: z.enum(approvalKinds),
  /** The charge or the payment intent that would change. */
  target: z.string(),
  payment_intent: z.string(),
  amount: z.int(),
  currency: z.enum(currencies),
  /** The number that would be paid, while the request waits. Null of a ruling, and once an erasure took it. */
  msisdn: z.string().nullable(),
  /** Of a ruling: the transaction's reference in the rail's statement, if its author had it. */
  statement: z.string().nullable(),
  status: z.enum(approvalStatuses),
  reason: z.string(),
  requested_by: person,
  created: instant,
  expires_at: instant,
  decided_by: person.nullable(),
  decided_at: instant.nullable(),
  decision_reason: z.string().nullable(),
  /** Of an obsolete one: the code of the error that its change would have met. */
  obsolete_because: z.string().nullable(),
})
export type ApprovalRequest = z.infer<typeof ApprovalRequest>

export const listApprovalRequests = staffRead({
  id: 'approvalRequests.list',
  path: '/approval_requests',
  query: z.strictObject({
    ...staffListQuery('apr'),
    status: z.enum(approvalStatuses, `must be one of ${approvalStatuses.join(', ')}`).optional(),
  }),
  schema: listOf(ApprovalRequest),
})

/** Makes the change that was asked for, if its object stands as it did then. Never by who asked. */
export const approveRequest = change({
  id: 'approvalRequests.approve',
  isGrave: true,
  role: 'operator',
  path: '/approval_requests/{id}/approve',
  prefix: 'apr',
})

/** By who asked as well: then the request is withdrawn. */
export const declineRequest = change({
  id: 'approvalRequests.decline',
  role: 'operator',
  path: '/approval_requests/{id}/decline',
  prefix: 'apr',
})
