import type { Currency, DeclineCode, RefundFailure } from '@merchant-payments/contract'
import type { InstructionState, PayoutRuling } from '@merchant-payments/db'
import type { ChargeReturnId, CustomerId, MerchantId, RefundId } from '../base/ids.ts'
import type { Msisdn } from '../base/phone.ts'
import type { Decline, RailCode } from '../rails/port.ts'
import type { JobKey } from '../queue/claim-by-rail.ts'
import { instructionLifecycle, type InstructionMove } from './lifecycle.ts'

interface Instruction {
  readonly rail: RailCode
  readonly reference: string
  readonly instruction: InstructionState
  readonly destination: Msisdn | null
  /** No try begins to send after this, or is answered after it. */
  readonly submitDeadlineMs: number
  /** Why the rail refused the last try, while this is not proven: the rail may still pay. */
  readonly refusal: DeclineCode | null
  /** The rail's own words, which an erasure redacts. */
  readonly railCode: string | null
  readonly railMessage: string | null
}

export interface Payout extends Instruction {
  readonly merchantId: MerchantId
  readonly id: RefundId | ChargeReturnId
  readonly amountMinor: number
  readonly currency: Currency
  readonly customerId: CustomerId | null
  readonly openedAtMs: number
  readonly revision: number
}

export type PayoutKey = JobKey<Payout['id']>

interface Job {
  readonly checks: number
  readonly notFoundCount: number
  readonly leaseUntilMs: number
  readonly ruling: PayoutRuling | null
}

export interface Due<P extends Payout = Payout> {
  readonly rail: RailCode
  readonly payout: P
  readonly requestId: string | null
  readonly job: Job
}

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

export type JobEffect =
  | { readonly kind: 'keep' }
  | End
  /** The lease stays, and the count of not-found answers starts again. */
  | { readonly kind: 'restart' }
  | Again
  | Check

export interface End {
  readonly kind: 'end'
  /**
   * Ends a job with a ruling, too, because it was applied, or the rail says that it has paid. If absent, a job that
   * was ruled on meanwhile stays and is due.
   */
  readonly endsRuling?: true
}

/** The rail was not called, so the rung stays. */
export interface Again {
  readonly kind: 'again'
  readonly dueAtMs: number
}

export interface Check {
  readonly kind: 'check'
  readonly dueAtMs: number
  readonly checks: number
  readonly notFoundCount: number
  /** Clears the ruling, which was applied. If absent, a ruling that arrived meanwhile stays and keeps the job due. */
  readonly endsRuling?: true
}

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

/** The number is not kept for an instruction that is never sent again. */
const over = { destination: null, refusal: null } as const
