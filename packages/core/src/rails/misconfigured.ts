import type { Alert, AlertFacts } from '../base/alerts.ts'
import type { Decline } from './port.ts'

/** Tells operators of a refusal that is about us, and not about the payer. */
export function tellIfOurs(alert: Alert, { actor, railCode }: Decline, facts: AlertFacts): void {
  if (actor === 'merchant_config') alert('rail_misconfigured', { ...facts, rail_code: railCode })
}
