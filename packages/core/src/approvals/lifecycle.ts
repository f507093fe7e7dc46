import { type AnyMove, lifecycle } from '../base/lifecycle.ts'

export const approvalLifecycle = lifecycle({
  pending: { approve: 'approved', decline: 'declined', expire: 'expired', lapse: 'obsolete' },
  approved: {},
  declined: {},
  expired: {},
  obsolete: {},
})

export type ApprovalMove = AnyMove<typeof approvalLifecycle>
