import { isLate, isOpen, payLate, settle } from './charges.ts'
import { remove } from './customers.ts'
import type { Charge } from './objects.ts'
import { decisions, type Decision, paid, rails } from './rails.ts'
import type { Books } from './state.ts'

export { lapse } from './checkout-sessions.ts'
export { instruct } from './refunds.ts'
export { settle }

/** Spec 8: idle for longer than this. */
const RETENTION_MS = 365 * 24 * 60 * 60 * 1_000

/** The hourly sweep of customers whom nobody has used for a year. */
export function sweepIdle(books: Books, nowMs: number): void {
  for (const shop of books.shops.values()) {
    const idle = shop.customers.filter(
      ({ erasedMs, usedMs }) => erasedMs === null && usedMs < nowMs - RETENTION_MS,
    )
    for (const customer of idle) remove({ books, shop, nowMs }, customer)
  }
}

/** A payer decides, and the rail knows it: the service does not, until it asks. */
export function decide(charge: Charge, decision: Decision): void {
  charge.fate = decisions[rails[charge.rail].flow][decision]
}

const chargesOf = ({ shops }: Books): Charge[] =>
  [...shops.values()].flatMap(({ intents }) => intents.flatMap(({ charges }) => charges))

export const hasLate = (books: Books): boolean => chargesOf(books).some(isLate)

/** Charges that the next rounds of the settlement change whatever happens. */
export const hasNews = (books: Books): boolean =>
  chargesOf(books).some((charge) => isOpen(charge) && charge.fate.kind !== 'pending')

export const comeLate = (books: Books): void => payLate(books, paid)
