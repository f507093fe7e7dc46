import type { Currency, DeclineCode, RefundFailure } from '@merchant-payments/contract'
import type { InstructionState } from '@merchant-payments/db'
import type { ChargeReturnId, CustomerId, MerchantId, RefundId } from '../base/ids.ts'
import type { Msisdn } from '../base/phone.ts'
import type { Decline, RailCode } from '../rails/port.ts'
import { instructionLifecycle, type InstructionMove } from './lifecycle.ts'

/** What a rail is told to pay out, and what is known of the telling. */
export interface Instruction {
  readonly rail: RailCode
  readonly reference: string
  readonly instruction: InstructionState
  /** Null once the rail has accepted or refused. */
  readonly destination: Msisdn | null
  /** No try begins to send later, or is answered later. */
  readonly submitDeadlineMs: number
  /** Why the rail refused the last try, while that is not proven: it may still pay. */
  readonly refusal: DeclineCode | null
  /** The rail's own words, redactable. */
  readonly railCode: string | null
  readonly railMessage: string | null
}

/** Money on its way out to a payer, whatever for. */
export interface Payout extends Instruction {
  readonly merchantId: MerchantId
  readonly id: RefundId | ChargeReturnId
  readonly amountMinor: number
  readonly currency: Currency
  readonly customerId: CustomerId | null
  readonly openedAtMs: number
  readonly revision: number
}

/** When the worker looks after a payout, and what its looks have come to. */
interface Job {
  /** Looks so far: the rungs of its ladder. */
  readonly tries: number
  /** Answers of the rail, since the last try, that it has no such payout. */
  readonly notFoundCount: number
  /** The token of the claim that holds it. */
  readonly leaseUntilMs: number
}

/** A payout that a claim has leased. */
export interface Due<P extends Payout = Payout> {
  readonly rail: RailCode
  readonly payout: P
  readonly job: Job
}

/** A change of an instruction. */
export type Move =
  | { readonly kind: 'send'; readonly submitDeadlineMs: number }
  | { readonly kind: 'unsend' | 'accept' }
  | { readonly kind: 'doubt'; readonly decline: Decline }
  | {
      readonly kind: 'refuse'
      readonly reason: RefundFailure
      readonly railCode: string | null
      readonly railMessage: string | null
    }

/** What a change does to the payout's job. */
export type JobEffect =
  | { readonly kind: 'end' | 'keep' }
  /** A new try: the lease stays, and not-found is counted anew. */
  | { readonly kind: 'restart' }
  | Look

export interface Look {
  readonly kind: 'look'
  readonly dueAtMs: number
  readonly tries: number
  readonly notFoundCount: number
}

/** The instruction as a move leaves it. Pure. */
export function movedInstruction(before: Instruction, move: Move): Instruction {
  const moves: Partial<Record<InstructionMove, InstructionState>> = instructionLifecycle[before.instruction]
  const instruction = moves[move.kind]
  if (instruction === undefined)
    throw new Error(`an instruction that is ${before.instruction} cannot ${move.kind}`)
  return { ...before, ...fieldsOf(move), instruction }
}

function fieldsOf(move: Move): Partial<Instruction> {
  switch (move.kind) {
    case 'send':
      return { submitDeadlineMs: move.submitDeadlineMs }
    case 'unsend':
      return {}
    case 'doubt': {
      const { code: refusal, railCode, railMessage } = move.decline
      return { refusal, railCode, railMessage }
    }
    case 'accept':
      return { ...over, railCode: null, railMessage: null }
    case 'refuse':
      return { ...over, railCode: move.railCode, railMessage: move.railMessage }
  }
}

/** No number is kept for an instruction that will not be given any more. */
const over = { destination: null, refusal: null } as const
