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
}

/** The facts that name an alert's object, the most specific one first. */
const objectFacts = ['delivery', 'refund', 'charge_return', 'charge', 'event'] as const

/** Null if the alert is about no object, or about one that staff do not handle. */
export function raisedOf(name: AlertName, facts: AlertFacts, owner: MerchantId | null): Raised | null {
  const alert = attentionAlerts.find((one) => one === name)
  const object = objectFacts.map((fact) => facts[fact]).find((id) => typeof id === 'string')
  return alert === undefined || typeof object !== 'string' ? null : { alert, object, facts, owner }
}
