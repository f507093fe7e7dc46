import type { Order } from './attempt.ts'
import type { Facts } from './facts.ts'
import { isWhole, plusFirst, readNumber } from './number.ts'
import { fitsNone, looksLikeOther, proposedRail } from './propose-rail.ts'
import type { RailOffer } from './types.ts'

export type NumberProblem = 'missing' | 'incomplete' | 'no_rail' | 'fits_none'

/** The payer's input so far. */
export interface OrderDraft {
  readonly number: string
  /** The code of the rail that the payer chose; null while the number proposes one. */
  readonly chosen: string | null
  readonly fault: NumberProblem | null
  /** The number for which the form has already said that it fits no rail. */
  readonly warned: string | null
}

/** What the form shows of a draft. */
export interface OrderView {
  readonly rail: RailOffer | null
  /** The rail comes from the number, and the payer can change it. */
  readonly isProposed: boolean
  /** The rail that the number looks like, if another one is chosen. */
  readonly other: RailOffer | null
}

export const firstDraft = (rails: readonly RailOffer[], facts: Facts): OrderDraft => ({
  number: firstNumber(facts),
  chosen: firstChoice(rails, facts),
  fault: null,
  warned: null,
})

export function withNumber(rails: readonly RailOffer[], draft: OrderDraft, number: string): OrderDraft {
  const now = proposedRail(rails, number)
  // A choice made for another number does not hold for this one.
  const isNew = now !== null && now.code !== proposedRail(rails, draft.number)?.code
  return { ...draft, number, chosen: isNew ? null : draft.chosen, fault: null }
}

export function viewOf(rails: readonly RailOffer[], { number, chosen }: OrderDraft): OrderView {
  const proposed = proposedRail(rails, number)
  const rail = rails.find(({ code }) => code === chosen) ?? proposed ?? railWithoutNumber(rails)
  return {
    rail,
    isProposed: rails.length > 1 && chosen === null && proposed !== null,
    other: looksLikeOther(rails, rail, number),
  }
}

/** The order to send; null after a fault, which the draft then has. */
export function checked(
  rails: readonly RailOffer[],
  draft: OrderDraft,
): { readonly draft: OrderDraft; readonly order: Order | null } {
  const { rail } = viewOf(rails, draft)
  const number = draft.number.trim()
  const fault = faultOf(rails, rail, number, draft.warned)
  const warned = fault === 'fits_none' ? number : draft.warned
  return {
    draft: { ...draft, fault, warned },
    order:
      fault !== null || rail === null
        ? null
        : { rail: rail.code, msisdn: rail.instrument === null ? null : plusFirst(number) },
  }
}

function faultOf(
  rails: readonly RailOffer[],
  rail: RailOffer | null,
  number: string,
  warned: string | null,
): NumberProblem | null {
  if (rail?.instrument === null) return null
  if (number === '') return 'missing'
  if (rail === null) return isWhole(readNumber(number)) ? 'no_rail' : 'incomplete'
  return fitsNone(rails, number) && warned !== number ? 'fits_none' : null
}

/** The rail while the number proposes none: the only one, or the first if no operator's numbers are known. */
const railWithoutNumber = (rails: readonly RailOffer[]): RailOffer | null =>
  rails.length === 1 || rails.every(({ number_prefixes: prefixes }) => prefixes.length === 0)
    ? (rails[0] ?? null)
    : null

const firstNumber = ({ attempt, number, declineSeen, wish }: Facts): string =>
  (declineSeen ?? wish) === 'other_number' ? '' : number || (attempt?.msisdn ?? '')

function firstChoice(
  rails: readonly RailOffer[],
  { session, attempt, declineSeen, wish }: Facts,
): string | null {
  const how = declineSeen ?? wish
  const last = attempt?.rail ?? session?.payment_intent.last_payment_error?.payment_method_type ?? null
  if (how === 'other_number') return null
  return how === 'other_way'
    ? (rails.find(({ code }) => code !== last)?.code ?? null)
    : (attempt?.rail ?? null)
}
