import type { Currency, RefundFailure, RefundReason, RefundStatus } from '@merchant-payments/contract'
import type { InstructionState } from '@merchant-payments/db'
import { type NewEvent, newEvent } from '../events/event.ts'
import type { CustomerId, MerchantId, PaymentIntentId, RefundId } from '../ids.ts'
import type { MoveFrom, Target } from '../lifecycle.ts'
import type { Msisdn } from '../phone.ts'
import type { RailCode } from '../rails/port.ts'
import {
  instructionLifecycle,
  type InstructionMove,
  refundEvent,
  type RefundLifecycle,
  refundLifecycle,
  type RefundMove,
} from './lifecycle.ts'
import { renderRefund } from './render.ts'

export interface RefundFields extends Instruction {
  readonly merchantId: MerchantId
  readonly id: RefundId
  readonly intentId: PaymentIntentId
  readonly amountMinor: number
  readonly currency: Currency
  readonly customerId: CustomerId | null
  readonly reason: RefundReason | null
  readonly failureReason: RefundFailure | null
  readonly metadata: Readonly<Record<string, string>>
  readonly livemode: boolean
  readonly openedAtMs: number
  readonly revision: number
}

/** What the rail is told, and what is known of the telling. */
export interface Instruction {
  readonly rail: RailCode
  readonly reference: string
  readonly instruction: InstructionState
  /** Null once the rail has accepted or refused. */
  readonly destination: Msisdn | null
  /** No try begins to send later, or is answered later. */
  readonly submitDeadlineMs: number
  readonly instructAtMs: number | null
  /** Of the worker's looks at it: the rungs of its ladder. */
  readonly tries: number
  /** Answers of the rail, since the last try, that it has no such refund. */
  readonly notFoundCount: number
  /** The rail's own words, redactable. */
  readonly railCode: string | null
  readonly railMessage: string | null
}

/** A refund in a known state; with no argument, in any: narrow on `status` before you move it. */
export type Refund<S extends RefundStatus = RefundStatus> = S extends unknown
  ? RefundFields & { readonly status: S }
  : never

interface Facts {
  update: { metadata: Readonly<Record<string, string>> }
  cancel: object
  fail: { reason: RefundFailure; railCode?: string | null; railMessage?: string | null }
}

/** A change of a refund that only `moveRefund` and `instructed` can make, and only the refund writer can write. */
export interface RefundChange<S extends RefundStatus = RefundStatus> {
  readonly before: Refund
  readonly after: Refund<S>
  readonly event: NewEvent | null
}

/** Moves a refund. Pure, as `moveIntent` is. */
export function moveRefund<S extends RefundStatus, M extends MoveFrom<RefundLifecycle, S>>(
  before: Refund<S>,
  move: M,
  facts: Facts[M & keyof Facts],
  nowMs: number,
): RefundChange<Target<RefundLifecycle, S, M> & RefundStatus> {
  const moves: Partial<Record<RefundMove, RefundStatus>> = refundLifecycle[before.status]
  const status = moves[move as RefundMove]
  if (status === undefined) throw new Error(`a refund that is ${before.status} cannot ${move}`)
  const fields = applied[move as RefundMove](facts as never)
  const after = { ...before, ...fields, status, revision: before.revision + 1 } as Refund
  const { livemode, customerId } = after
  const event = newEvent(refundEvent[move as RefundMove], renderRefund(after), {
    livemode,
    customerId,
    nowMs,
  })
  return { before, after: after as Refund<Target<RefundLifecycle, S, M> & RefundStatus>, event }
}

/** Moves the instruction of a refund, or sees it stay as it is. Writes no event: nothing of it is on the wire. */
export function moveInstruction(
  before: Refund<'pending'>,
  move: Exclude<InstructionMove, 'refuse'> | 'stay',
  fields: Partial<Pick<Instruction, 'submitDeadlineMs' | 'instructAtMs' | 'tries' | 'notFoundCount'>>,
): RefundChange<'pending'> {
  const moves: Partial<Record<InstructionMove, InstructionState>> = instructionLifecycle[before.instruction]
  const instruction = move === 'stay' ? before.instruction : moves[move]
  if (instruction === undefined)
    throw new Error(`an instruction that is ${before.instruction} cannot ${move}`)
  const ended = instruction === 'accepted' ? over : {}
  const after = { ...before, ...fields, ...ended, instruction, revision: before.revision + 1 }
  return { before, after, event: null }
}

/** No number is kept for an instruction that will not be given any more. */
const over = { destination: null, instructAtMs: null } as const

const applied: { [M in RefundMove]: (facts: Facts[M]) => Partial<RefundFields> } = {
  update: ({ metadata }) => ({ metadata }),
  cancel: () => over,
  fail: ({ reason, railCode = null, railMessage = null }) => ({
    ...over,
    failureReason: reason,
    instruction: 'refused',
    railCode,
    railMessage,
  }),
}
