import { type AnyMove, lifecycle } from '../base/lifecycle.ts'

/** Moves of a request for a second staff member's approval. Merchants see none of them. */
export const approvalLifecycle = lifecycle({
  pending: { approve: 'approved', decline: 'declined', expire: 'expired', lapse: 'obsolete' },
  approved: {},
  declined: {},
  expired: {},
  obsolete: {},
})

export type ApprovalMove = AnyMove<typeof approvalLifecycle>
