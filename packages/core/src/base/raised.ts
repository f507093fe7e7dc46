import { type AttentionAlert, attentionAlerts } from '@merchant-payments/contract'
import type { Alert, AlertFacts, AlertName } from './alerts.ts'
import type { MerchantId } from './ids.ts'

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

/** An alert whose item is written with the change that raised it, so its merchant is known. */
export interface RaisedByChange extends Raised {
  readonly owner: MerchantId
}

/**
 * What a rail's answer raises, whatever the answer changes. The rail may not answer so again, so these are written also
 * if the change is not.
 */
const ofAnswer: ReadonlySet<AttentionAlert> = new Set([
  'charge_amount_mismatch',
  'rail_unknown_status',
  'rail_misconfigured',
  'rail_adapter_fault',
])

export const saysAnswer = ({ alert }: Pick<Raised, 'alert'>): boolean => ofAnswer.has(alert)

/** Alerts that are written with a failure of a job. */
export interface FailureAlerts {
  readonly raised: readonly RaisedByChange[]
  /** Written if the job rests from now on. */
  readonly ifRests: RaisedByChange
}

export interface RaisedAlerts {
  /** Passes alerts on for their log lines and their metrics, and keeps those that have an item. */
  readonly alert: Alert
  /** The kept ones, for the statement of the change. */
  readonly raised: readonly RaisedByChange[]
}

/** Collects the alerts about one object of a merchant, whose change writes them. */
export function collectRaised(next: Alert, owner: MerchantId): RaisedAlerts {
  const raised: RaisedByChange[] = []
  return {
    raised,
    alert: (name, facts, _owner, lookedAtMs = null) => {
      next(name, facts, owner, lookedAtMs, 'change')
      const one = raisedOf(name, facts, { owner, lookedAtMs })
      if (one !== null) raised.push({ ...one, owner })
    },
  }
}

/** One alert of a change that is not made yet. The caller logs it once the change is made. */
export function raisedByChange(name: AttentionAlert, facts: AlertFacts, owner: MerchantId): RaisedByChange {
  const one = raisedOf(name, facts, { owner, lookedAtMs: null })
  if (one === null) throw new Error(`the alert ${name} names no object`)
  return { ...one, owner }
}
