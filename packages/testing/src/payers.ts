import { CHARGE_SCENARIOS, ORANGE_SCENARIOS } from '@merchant-payments/mock-rails'
import type { Random } from './random.ts'

/**
 * The payers of a random run. Each list holds the last digits of numbers or amounts that select how a payment
 * ends.
 */
export interface Payers {
  readonly mtn: readonly string[]
  /** Endings of amounts: orders that fail before anybody can pay them. */
  readonly orders: readonly string[]
  readonly orange: readonly string[]
}

/**
 * All endings of the mock except these. Amounts that select a payer are left out too: such a payer pays
 * without having been given the page, and no real one does.
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

const GOOD_ENDING = '001'
/** The hardest endings come more often: late successes, and a rail that does not know its charge at first. */
const HARD_ENDINGS = { mtn: ['480', '480', '487'], orange: ['492', '493'] } as const

function randomEnding(random: Random, rail: 'mtn' | 'orange', endings: readonly string[]): string {
  const draw = random.next()
  if (draw < 0.4) return GOOD_ENDING
  return random.pick(draw < 0.6 ? HARD_ENDINGS[rail] : endings)
}

export const randomMsisdn = (random: Random, { mtn }: Payers): string =>
  `237670000${randomEnding(random, 'mtn', mtn)}`

export const randomAmount = (random: Random, { orders }: Payers): number =>
  Number(`${random.int(1, 90)}${random.chance(0.2) ? random.pick(orders) : '000'}`)

export async function visitPage(random: Random, { orange }: Payers, url: string): Promise<void> {
  const decision = random.pick(['pay', 'pay', 'refuse', null])
  if (decision === null) return
  const msisdn = `690000${randomEnding(random, 'orange', orange)}`
  const body = new URLSearchParams({ msisdn, otp: '1234', decision })
  await fetch(url, { method: 'POST', body, redirect: 'manual' })
}
