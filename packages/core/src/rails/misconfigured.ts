import type { ObjectFacts, Raise } from '../base/raised.ts'
import { plainWord } from './plain-word.ts'
import type { Decline } from './port.ts'

/** Alerts operators of a refusal that the deployment caused, and not the payer. */
export function alertIfMisconfigured(raise: Raise, { actor, railCode }: Decline, facts: ObjectFacts): void {
  if (actor === 'merchant_config') raise('rail_misconfigured', { ...facts, rail_code: plainWord(railCode) })
}
