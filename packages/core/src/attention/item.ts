import { type AttentionAlert, attentionAlerts } from '@merchant-payments/contract'
import type { AlertFacts, AlertName } from '../base/alerts.ts'
import type { MerchantId } from '../base/ids.ts'

/** An alert about an object, before it has a row. */
export interface Raised {
  readonly alert: AttentionAlert
  /** The id of the wire. */
  readonly object: string
  readonly facts: AlertFacts
  /** The object's merchant, if what raised the alert knew it. */
  readonly owner: MerchantId | null
  /** The look before the one that raised the alert. Null if not every look raises it. */
  readonly lookedAtMs: number | null
}

/** Raised once each time that something happens. Others are raised again while their cause lasts. */
const momentary: ReadonlySet<AttentionAlert> = new Set([
  'charge_duplicate_success',
  'charge_rests',
  'refund_rests',
  'refund_paid_after_failure',
  'webhook_exhausted',
  'webhook_endpoint_gone',
  'delivery_dead_lettered',
  'fanout_failed',
])

export const isMomentary = (alert: AttentionAlert): boolean => momentary.has(alert)

/** The facts that name an alert's object, the most specific one first. */
const objectFacts = ['delivery', 'refund', 'charge_return', 'charge', 'event'] as const

/** Null if the alert is about no object, or about one that staff do not handle. */
export function raisedOf(
  name: AlertName,
  facts: AlertFacts,
  { owner, lookedAtMs }: Pick<Raised, 'owner' | 'lookedAtMs'>,
): Raised | null {
  const alert = attentionAlerts.find((one) => one === name)
  const object = objectFacts.map((fact) => facts[fact]).find((id) => typeof id === 'string')
  if (alert === undefined || typeof object !== 'string') return null
  return { alert, object, facts, owner, lookedAtMs }
}
