import type { Alert, AlertFacts } from '../base/alerts.ts'
import type { MerchantId } from '../base/ids.ts'
import type { Decline } from './port.ts'

/** Alerts operators of a refusal that the deployment caused, and not the payer. */
export function alertIfMisconfigured(
  alert: Alert,
  { actor, railCode }: Decline,
  facts: AlertFacts,
  owner: MerchantId,
): void {
  if (actor === 'merchant_config') alert('rail_misconfigured', { ...facts, rail_code: railCode }, owner)
}
