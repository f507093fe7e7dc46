import { z } from 'zod'
import { exampleIds } from '../examples.ts'
import { currencyField, idField, minorUnits, objectField } from '../fields.ts'
import { listOf } from '../list.ts'
import { chargeStatus, reportedMoney } from './charges.ts'
import {
  change,
  instant,
  instantOrNull,
  merchantField,
  staffListQuery,
  staffRead,
  textOrNull,
} from './common.ts'
import { approvalStatuses } from '../words.ts'

/** Changes that require approval by a second staff member, by their names in the audit log. */
const approvalKinds = ['charge.resolve', 'charge.return', 'refund.create'] as const

const person = z.strictObject({
  subject: z.string().describe('The staff member’s subject at the OpenID provider.'),
  name: z.string().describe('The staff member’s name, from the OpenID provider.'),
})

/** A change requested by one staff member, made when another approves it. */
export const ApprovalRequest = z
  .strictObject({
    id: idField('apr', exampleIds.approval),
    object: objectField('approval_request'),
    merchant: merchantField,
    kind: z.enum(approvalKinds).describe('The requested change, by its name in the audit log.'),
    target: z.string().describe('The id of the charge or the payment intent that would change.'),
    payment_intent: z.string().describe('The id of the payment intent concerned.'),
    amount: minorUnits('Amount of the payout, or of the charge that would be ruled as paid.'),
    currency: currencyField,
    msisdn: textOrNull(
      'The number of the payout, while the request waits. Masked for viewers, who cannot approve: `6 •• •• •• 27`.',
      'for a ruling, after the decision, and after an erasure',
    ),
    statement: textOrNull(
      'The reference of a ruling’s transaction in the rail’s statement.',
      'if its author gave none, and for other changes',
    ),
    charge_status: chargeStatus
      .nullable()
      .describe('State of the charge when the change was requested. Null for a refund.'),
    reported: z
      .strictObject(reportedMoney)
      .nullable()
      .describe(
        'What the rail reported as paid when a ruling was requested, if its amount or currency differs from the charge’s. Null if there was none.',
      ),
    unproven: z
      .boolean()
      .describe('Whether the charge was paid by a ruling alone when the change was requested.'),
    status: z
      .enum(approvalStatuses)
      .describe(
        'State of the request. `obsolete`: the object had changed when it was approved, so nothing was done. `expired`: there was no decision within 24 hours.',
      ),
    reason: z.string().describe('Why the change is requested, in its author’s words.'),
    requested_by: person.describe('The staff member who made the request. This member cannot approve it.'),
    created: instant('When the request was made.'),
    expires_at: instant('When the request expires unless it is decided: 24 hours after it was made.'),
    decided_by: person.nullable().describe('The staff member who approved or declined. Null until then.'),
    decided_at: instantOrNull('When the request was decided.', 'while it waits'),
    decision_reason: textOrNull(
      'Why it was approved or declined, in the member’s words.',
      'until it is decided',
    ),
    obsolete_because: textOrNull(
      'The code of the error that the change would have had.',
      'unless the status is `obsolete`',
    ),
  })
  .meta({
    id: 'ApprovalRequest',
    description: 'A change requested by one staff member, made when another approves it.',
  })
export type ApprovalRequest = z.infer<typeof ApprovalRequest>

export const listApprovalRequests = staffRead({
  id: 'approvalRequests.list',
  path: '/approval_requests',
  summary: 'List changes that wait for a second person',
  description: ['Pages through the requests for approval of all merchants, newest first.'],
  query: z.strictObject({
    ...staffListQuery('apr'),
    status: z
      .enum(approvalStatuses, `must be one of ${approvalStatuses.join(', ')}`)
      .optional()
      .describe('Shows requests in this state.'),
  }),
  schema: listOf(ApprovalRequest),
  ok: 'One page of requests for approval.',
  example: { params: { status: 'pending' }, answer: { object: 'list', has_more: false } },
})

/** Makes the requested change if its object is unchanged. The author of the request cannot call it. */
export const approveRequest = change({
  id: 'approvalRequests.approve',
  isGrave: true,
  role: 'operator',
  path: '/approval_requests/{id}/approve',
  prefix: 'apr',
  summary: 'Approve and make a change that another member requested',
  description: [
    'Makes the requested change in the same transaction. The author of the request cannot approve it.',
    'If the object has changed since the request, nothing is done and the answer is a 409 `approval_obsolete`.',
  ],
  errors: [
    'approval_not_pending',
    'approval_by_author',
    'approval_obsolete',
    'charge_not_resolvable',
    'charge_not_duplicate',
    'charge_returned',
    'charge_unproven',
    'intent_not_succeeded',
    'customer_erased',
    'not_supported',
  ],
  example: {
    id: exampleIds.approval,
    params: { reason: 'The payer called from this number.' },
    answer: { object: 'audit_entry', action: 'approval.approve' },
  },
})

/** The author may call it too, which withdraws the request. */
export const declineRequest = change({
  id: 'approvalRequests.decline',
  role: 'operator',
  path: '/approval_requests/{id}/decline',
  prefix: 'apr',
  summary: 'Decline or withdraw a request for approval',
  description: ['Ends a pending request without a change. Its author can withdraw it with the same call.'],
  errors: ['approval_not_pending'],
  example: {
    id: exampleIds.approval,
    params: { reason: 'The number is not the payer’s.' },
    answer: { object: 'audit_entry', action: 'approval.decline' },
  },
})
