import { type AnyMove, lifecycle } from '../base/lifecycle.ts'

/** Of a request that waits for a second staff member. None of its moves is told to a merchant. */
export const approvalLifecycle = lifecycle({
  pending: { approve: 'approved', decline: 'declined', expire: 'expired', lapse: 'obsolete' },
  approved: {},
  declined: {},
  expired: {},
  obsolete: {},
})

export type ApprovalMove = AnyMove<typeof approvalLifecycle>
