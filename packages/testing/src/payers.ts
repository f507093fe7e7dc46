import { CHARGE_SCENARIOS, ORANGE_SCENARIOS } from '@merchant-payments/mock-rails'
import type { Random } from './random.ts'

/** Who pays in a random run: each list holds the last digits of numbers or amounts that choose how a payment ends. */
export interface Payers {
  readonly mtn: readonly string[]
  /** Of amounts: an order that goes wrong before anybody can pay it. */
  readonly orders: readonly string[]
  /** Of numbers that are typed on Orange's page. */
  readonly orange: readonly string[]
}

/**
 * All that the mock knows, but for these. An amount could also choose a payer who comes by itself, even where nobody was
 * given the page: no such payer exists.
 */
export function payersBut(excluded: ReadonlySet<string>): Payers {
  const endingsOf = (scenarios: readonly { readonly suffix: string }[]): string[] =>
    scenarios.map(({ suffix }) => suffix).filter((suffix) => suffix !== 'other' && !excluded.has(suffix))
  return {
    mtn: endingsOf(CHARGE_SCENARIOS),
    orders: endingsOf(ORANGE_SCENARIOS.filter(({ onlyByAmount }) => onlyByAmount)),
    orange: endingsOf(ORANGE_SCENARIOS.filter(({ onlyByAmount }) => !onlyByAmount)),
  }
}

/** Of an ordinary payer. */
const GOOD_ENDING = '001'
/** It fails and succeeds later: the worst case, so it comes more often than any other bad ending. */
const LATE_ENDINGS = { mtn: '480', orange: '492' } as const

function randomEnding(random: Random, rail: 'mtn' | 'orange', endings: readonly string[]): string {
  const draw = random.next()
  if (draw < 0.4) return GOOD_ENDING
  return draw < 0.55 ? LATE_ENDINGS[rail] : random.pick(endings)
}

export const randomMsisdn = (random: Random, { mtn }: Payers): string =>
  `237670000${randomEnding(random, 'mtn', mtn)}`

export const randomAmount = (random: Random, { orders }: Payers): number =>
  Number(`${random.int(1, 90)}${random.chance(0.2) ? random.pick(orders) : '000'}`)

/** A payer at the operator's page: pays, refuses, or leaves it to expire. */
export async function visitPage(random: Random, { orange }: Payers, url: string): Promise<void> {
  const decision = random.pick(['pay', 'pay', 'refuse', null])
  if (decision === null) return
  const msisdn = `690000${randomEnding(random, 'orange', orange)}`
  const body = new URLSearchParams({ msisdn, otp: '1234', decision })
  await fetch(url, { method: 'POST', body, redirect: 'manual' })
}
