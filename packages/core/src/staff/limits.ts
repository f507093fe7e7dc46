import { type Currency, Refusal } from '@merchant-payments/contract'
import type { Tx } from '@merchant-payments/db'
import type { StaffRequest } from '../audit/change.ts'
import type { PayerNumbers } from './payer-numbers.ts'
import type { Deps } from '../deps.ts'
import { addToDay } from './store.ts'

/** `refunds` includes returns of duplicate charges. */
type LimitedKind = 'refunds' | 'rulings'

/** An absent value is not limited. */
interface Limit {
  readonly count?: number | undefined
  readonly amount?: { readonly [Code in Currency]?: number | undefined } | undefined
}

export type StaffLimits = {
  readonly [Role in 'operator' | 'admin']?: { readonly [Kind in LimitedKind]?: Limit | undefined } | undefined
}

export interface StaffDeps extends Deps {
  readonly payerNumbers: PayerNumbers
  readonly staffLimits: StaffLimits
}

export interface Spent {
  readonly kind: LimitedKind
  /** Zero if it was counted before and only its amount has changed. */
  readonly count: 0 | 1
  readonly amountMinor: number
  readonly currency: Currency
}

/**
 * Runs in the change's transaction, before any row that the change locks, so that two changes of one person wait
 * for each other only here. A refused change is not counted.
 *
 * @throws Refusal staff_limit_reached
 */
export async function spend(
  { clock, staffLimits }: Pick<StaffDeps, 'clock' | 'staffLimits'>,
  tx: Tx,
  { staff: { subject, role } }: StaffRequest,
  spent: Spent,
): Promise<void> {
  const { kind, currency } = spent
  const day = await addToDay(tx, subject, spent, clock())
  const limit = role === 'viewer' ? undefined : staffLimits[role]?.[kind]
  const amountMax = limit?.amount?.[currency]
  if (limit?.count !== undefined && day.count > limit.count) {
    throw reached(`The limit of your role is ${limit.count} ${kind} a day.`)
  }
  if (amountMax !== undefined && day[currency] > amountMax) {
    throw reached(
      `The limit of your role is ${kind} of ${amountMax} in ${currency} a day, in its smallest unit.`,
    )
  }
}

const reached = (message: string) => new Refusal('staff_limit_reached', message)
