import { plainCode } from '../base/plain-code.ts'
import type { ObjectFacts, Raise } from '../base/raised.ts'
import type { Decline } from './port.ts'

/** Alerts operators of a refusal that the deployment caused, and not the payer. */
export function alertIfMisconfigured(raise: Raise, { actor, railCode }: Decline, facts: ObjectFacts): void {
  if (actor === 'merchant_config') raise('rail_misconfigured', { ...facts, rail_code: plainCode(railCode) })
}
