import type { RailCode } from './port.ts'

/** In the two languages of payers. */
interface Texts {
  readonly fr: string
  readonly en: string
}

/** What a payer meets on a push rail. */
interface RailPrompt {
  /** automatic: the handset asks by itself. manual: the payer dials first. */
  readonly mode: 'automatic' | 'manual'
  readonly dial: string | null
  /** As the prompt names whoever is paid, where that is not the merchant. */
  readonly payeeName: string | null
  readonly hint: Texts | null
}

/** What payers are told of a rail. */
export interface RailDisplay {
  readonly name: Texts
  /** Null on a redirect rail, whose page speaks for itself. */
  readonly prompt: RailPrompt | null
}

export type RailDisplays = ReadonlyMap<RailCode, RailDisplay>
