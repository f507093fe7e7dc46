import { type AnyMove, lifecycle } from '../base/lifecycle.ts'

/** unsent: certainly not at the rail. sent: perhaps at the rail, so it is queried before the rail is instructed again. */
export const instructionLifecycle = lifecycle({
  unsent: { send: 'sent', refuse: 'refused' },
  sent: { send: 'sent', doubt: 'sent', unsend: 'unsent', accept: 'accepted', refuse: 'refused' },
  accepted: {},
  refused: {},
})

export type InstructionMove = AnyMove<typeof instructionLifecycle>
