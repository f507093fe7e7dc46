import { type AnyMove, lifecycle } from '../base/lifecycle.ts'

/**
 * Of the instruction that tells a rail to pay out. unsent: certainly not at the rail. sent: perhaps, so that the rail is
 * asked before it is instructed again.
 */
export const instructionLifecycle = lifecycle({
  unsent: { send: 'sent', refuse: 'refused' },
  sent: { send: 'sent', doubt: 'sent', unsend: 'unsent', accept: 'accepted', refuse: 'refused' },
  accepted: {},
  refused: {},
})

export type InstructionMove = AnyMove<typeof instructionLifecycle>
