import { z } from 'zod'
import { exampleIds } from '../examples.ts'
import { currencyField, idField, minorUnits, objectField } from '../fields.ts'
import { listOf } from '../list.ts'
import {
  change,
  instant,
  instantOrNull,
  merchantField,
  staffListQuery,
  staffRead,
  textOrNull,
} from './common.ts'

/** The changes that a second staff member approves, by the name that the audit log has for each. */
export const approvalKinds = ['charge.resolve', 'charge.return', 'refund.create'] as const

export const approvalStatuses = ['pending', 'approved', 'declined', 'expired', 'obsolete'] as const

const person = z.strictObject({
  subject: z.string().describe('The staff member’s subject at the OpenID provider.'),
  name: z.string().describe('The staff member’s name, as the provider told it.'),
})

/** A change that one staff member asked for, and that is made once another one approves it. */
export const ApprovalRequest = z
  .strictObject({
    id: idField('apr', exampleIds.approval),
    object: objectField('approval_request'),
    merchant: merchantField,
    kind: z.enum(approvalKinds).describe('The change that is asked for, by its name in the audit log.'),
    target: z.string().describe('The id of the charge or the payment intent that would change.'),
    payment_intent: z.string().describe('The id of the payment intent concerned.'),
    amount: minorUnits('What would be paid, or ruled to be paid.'),
    currency: currencyField,
    msisdn: textOrNull(
      'The number that would be paid, while the request waits.',
      'for a ruling, after the decision, and once an erasure took it',
    ),
    statement: textOrNull(
      'Of a ruling: the transaction’s reference in the rail’s statement.',
      'if its author had none, and for another change',
    ),
    status: z
      .enum(approvalStatuses)
      .describe(
        'State of the request. `obsolete`: the object had changed when it was approved, so nothing was done. `expired`: nobody decided within 24 hours.',
      ),
    reason: z.string().describe('Why the change is asked for, in its author’s words.'),
    requested_by: person.describe('The staff member who asks. This member cannot approve the request.'),
    created: instant('When the request was made.'),
    expires_at: instant('When the request expires unless it is decided: 24 hours after it was made.'),
    decided_by: person
      .nullable()
      .describe('The staff member who approved or declined. Null while nobody has.'),
    decided_at: instantOrNull('When the request was decided.', 'while it waits'),
    decision_reason: textOrNull('Why it was decided so, in the member’s words.', 'while nobody has decided'),
    obsolete_because: textOrNull(
      'The code of the error that the change would have met.',
      'unless the status is `obsolete`',
    ),
  })
  .meta({
    id: 'ApprovalRequest',
    description: 'A change that one staff member asked for, and that is made once another one approves it.',
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

/** Makes the change that was asked for, if its object stands as it did then. Never by who asked. */
export const approveRequest = change({
  id: 'approvalRequests.approve',
  isGrave: true,
  role: 'operator',
  path: '/approval_requests/{id}/approve',
  prefix: 'apr',
  summary: 'Approve and make a change that another member asked for',
  description: [
    'Makes the change in the same transaction, as its terms stand. The author of the request cannot approve it.',
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

/** By who asked as well: then the request is withdrawn. */
export const declineRequest = change({
  id: 'approvalRequests.decline',
  role: 'operator',
  path: '/approval_requests/{id}/decline',
  prefix: 'apr',
  summary: 'Decline or withdraw a request for approval',
  description: ['Ends a pending request without a change. Its author withdraws it by the same call.'],
  errors: ['approval_not_pending'],
  example: {
    id: exampleIds.approval,
    params: { reason: 'The number is not the payer’s.' },
    answer: { object: 'audit_entry', action: 'approval.decline' },
  },
})
