import { useState } from 'react'
import type { Facts } from '../checkout/facts.ts'
import { fitsNone, looksLikeOther, proposedRail } from '../checkout/propose-rail.ts'
import type { RailOffer } from '../wire/types.ts'

export type NumberFault = 'missing' | 'no_rail' | 'fits_none'

/** The payer's input: the number, and the rail that it proposes or that the payer chose. */
export interface OrderInput {
  readonly number: string
  readonly write: (number: string) => void
  readonly rail: RailOffer | null
  readonly choose: (code: string) => void
  /** The rail comes from the number, and the payer can change it. */
  readonly isProposed: boolean
  /** The rail that the number looks like, if another one is chosen. */
  readonly other: RailOffer | null
  readonly fault: NumberFault | null
  /** Checks the input. The order to send, or null after a fault that the payer sees. */
  readonly check: () => { rail: string; msisdn: string | null } | null
}

export function useOrder(
  rails: readonly RailOffer[],
  facts: Facts,
  onWrite: (number: string) => void,
): OrderInput {
  const [number, setNumber] = useState(() => firstNumber(facts))
  const [chosen, setChosen] = useState(() => firstChoice(rails, facts))
  const [fault, setFault] = useState<NumberFault | null>(null)
  /** The number for which the page has already said that it fits no rail. */
  const [warned, setWarned] = useState<string | null>(null)

  const proposed = proposedRail(rails, number)
  const rail = rails.find(({ code }) => code === chosen) ?? proposed ?? railWithoutNumber(rails)

  function faultOf(): NumberFault | null {
    if (rail?.instrument === null) return null
    const written = number.trim()
    if (written === '') return 'missing'
    if (rail === null) return 'no_rail'
    return fitsNone(rails, written) && warned !== written ? 'fits_none' : null
  }

  return {
    number,
    write: (next) => {
      setNumber(next)
      onWrite(next)
      setFault(null)
      const now = proposedRail(rails, next)
      // A choice made for another number does not hold for this one.
      if (now !== null && now.code !== proposed?.code) setChosen(null)
    },
    rail,
    choose: setChosen,
    isProposed: rails.length > 1 && chosen === null && proposed !== null,
    other: looksLikeOther(rails, rail, number),
    fault,
    check: () => {
      const found = faultOf()
      setFault(found)
      if (found === 'fits_none') setWarned(number.trim())
      if (found !== null || rail === null) return null
      return { rail: rail.code, msisdn: rail.instrument === null ? null : number.trim() }
    },
  }
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
