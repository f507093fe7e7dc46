/** Instants at which a process may die: a test kills a real one at each, and every payment still reaches the rail's truth. */
export const faultPoints = [
  'create.committed',
  'confirm.charge_committed',
  'confirm.rail_answered',
  'confirm.answer_committed',
  'cancel.committed',
  'refund.committed',
  'refund.rail_answered',
  'refund.answer_committed',
  'token.jti_spent',
  'settle.claimed',
  'settle.rail_answered',
  'settle.committed',
  'instruct.claimed',
  'instruct.marked',
  'instruct.rail_answered',
  'instruct.committed',
  'fanout.claimed',
  'fanout.committed',
  'deliver.claimed',
  'deliver.posted',
  'deliver.committed',
  'erase.begun',
  'erase.step_committed',
] as const

export type FaultPoint = (typeof faultPoints)[number]

/** Does nothing, but in the process that a crash test has armed. */
export type FaultHook = (point: FaultPoint) => void
