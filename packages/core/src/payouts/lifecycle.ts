import { type AnyMove, lifecycle } from '../base/lifecycle.ts'

/**
 * unsent: certainly not at the rail. sent: perhaps at the rail, so it is queried before the rail is instructed again.
 * accepted: the rail has it. A rail may only have queued it, and refuse it afterwards (docs/decisions/0040).
 */
export const instructionLifecycle = lifecycle({
  unsent: { send: 'sent', refuse: 'refused' },
  sent: { send: 'sent', doubt: 'sent', unsend: 'unsent', accept: 'accepted', refuse: 'refused' },
  accepted: { refuse: 'refused' },
  refused: {},
})

export type InstructionMove = AnyMove<typeof instructionLifecycle>
