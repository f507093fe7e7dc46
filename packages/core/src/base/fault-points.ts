/** Points at which a crash test kills a real process. Every payment must still end as its rail says. */
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

export type FaultHook = (point: FaultPoint) => void
