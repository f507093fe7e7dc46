import type { Currency } from '@merchant-payments/contract'
import type { ChargeRuling, ChargeStatus } from '@merchant-payments/db'
import type { ChargeId, CustomerId, MerchantId, PaymentIntentId } from '../base/ids.ts'
import { type MoveFrom, type Target, targetOf } from '../base/lifecycle.ts'
import type { Decline, RailCode } from '../rails/port.ts'
import type { Reported } from '../rails/reported.ts'
import { watchFrom } from './ladder.ts'
import { type ChargeLifecycle, chargeLifecycle, type ChargeMove } from './lifecycle.ts'

export interface Report extends Reported {
  /** Whether an operator saw it and ruled that the charge failed. */
  readonly isRuled: boolean
}

export interface ChargeFields {
  readonly merchantId: MerchantId
  readonly id: ChargeId
  readonly intentId: PaymentIntentId
  readonly rail: RailCode
  readonly amountMinor: number
  readonly currency: Currency
  readonly customerId: CustomerId | null
  readonly reference: string
  readonly railToken: string | null
  readonly callbackSecret: string | null
  readonly railTxnId: string | null
  /** The rail's own words, which an erasure redacts. */
  readonly railCode: string | null
  readonly railMessage: string | null
  readonly openedAtMs: number
  readonly submitDeadlineMs: number
  readonly acknowledgedAtMs: number | null
  readonly settledAtMs: number | null
  readonly nextQueryAtMs: number | null
  readonly queryRung: number
  readonly lastQueryAtMs: number | null
  readonly notFoundCount: number
  readonly report: Report | null
  readonly ruling: ChargeRuling | null
  /** Null for charges older than request ids. */
  readonly requestId: string | null
  readonly revision: number
}

export type Charge<S extends ChargeStatus = ChargeStatus> = S extends unknown
  ? ChargeFields & { readonly status: S }
  : never

interface Facts {
  acknowledge: { railToken?: string | null; callbackSecret?: string | null; firstQueryAfterMs: number }
  doubt: object
  abandon: { watched: boolean }
  fail: { decline: Decline }
  succeed: { railTxnId: string | null }
  duplicate: { railTxnId: string | null }
}

export interface ChargeChange<S extends ChargeStatus = ChargeStatus> {
  readonly before: Charge
  readonly after: Charge<S>
}

export function moveCharge<S extends ChargeStatus, M extends MoveFrom<ChargeLifecycle, S>>(
  before: Charge<S>,
  move: M,
  facts: Facts[M & keyof Facts],
  nowMs: number,
): ChargeChange<Target<ChargeLifecycle, S, M> & ChargeStatus> {
  const status = targetOf(chargeLifecycle, before.status, move, 'a charge')
  const fields = applied[move as ChargeMove](facts as never, before, nowMs)
  const after = { ...before, ...fields, status, revision: before.revision + 1 } as Charge
  return { before, after: after as Charge<Target<ChargeLifecycle, S, M> & ChargeStatus> }
}

const settledNow = (nowMs: number, railTxnId: string | null): Partial<ChargeFields> => ({
  railTxnId,
  railCode: null,
  railMessage: null,
  settledAtMs: nowMs,
  nextQueryAtMs: null,
})

type Applied = {
  [M in ChargeMove]: (facts: Facts[M], before: Charge, nowMs: number) => Partial<ChargeFields>
}

const applied: Applied = {
  acknowledge: ({ railToken, callbackSecret, firstQueryAfterMs }, before, nowMs) => ({
    railToken: railToken ?? before.railToken,
    callbackSecret: callbackSecret ?? before.callbackSecret,
    acknowledgedAtMs: nowMs,
    nextQueryAtMs: nowMs + firstQueryAfterMs,
    queryRung: 0,
  }),
  // Its next query is already scheduled: opening the charge set it past the submit's deadline.
  doubt: () => ({}),
  abandon: ({ watched }, _before, nowMs) => ({
    settledAtMs: nowMs,
    ...(watched ? watchFrom(nowMs) : { nextQueryAtMs: null }),
  }),
  fail: ({ decline }, _before, nowMs) => ({
    settledAtMs: nowMs,
    railCode: decline.railCode,
    railMessage: decline.railMessage,
    ...watchFrom(nowMs),
  }),
  succeed: ({ railTxnId }, _before, nowMs) => settledNow(nowMs, railTxnId),
  duplicate: ({ railTxnId }, _before, nowMs) => settledNow(nowMs, railTxnId),
}
