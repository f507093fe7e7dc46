import type { RailCode } from './port.ts'

interface Texts {
  readonly fr: string
  readonly en: string
}

interface RailPrompt {
  /** automatic: the handset shows the prompt by itself. manual: the payer dials first. */
  readonly mode: 'automatic' | 'manual'
  readonly dial: string | null
  /** The payee's name in the prompt, if it is not the merchant's. */
  readonly payeeName: string | null
  readonly hint: Texts | null
}

interface RailDisplay {
  readonly name: Texts
  /** The operator's color, such as `#ffcc00`; null if it has none. */
  readonly color: string | null
  /** The first digits of the operator's numbers, with the country code; empty if unknown. A hint, never a gate. */
  readonly numberPrefixes: readonly string[]
  /** The number of the account that is paid, for receipts; null if it has none. */
  readonly payeeNumber: string | null
  /** Null on a redirect rail, whose own page instructs the payer. */
  readonly prompt: RailPrompt | null
}

export type RailDisplays = ReadonlyMap<RailCode, RailDisplay>
