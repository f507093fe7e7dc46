import type { AttentionAlert } from '@merchant-payments/contract'
import { type Alert, type AlertFacts, type ObjectFact, objectFacts, type RowFacts } from './alerts.ts'
import type { MerchantId } from './ids.ts'

export type ObjectFacts = AlertFacts & { [F in ObjectFact]: Readonly<Record<F, string>> }[ObjectFact]

/** An alert about an object, which a statement writes as a row (`commit/write-raised.ts`). */
export interface Raised {
  readonly alert: AttentionAlert
  /** The object's public id, such as `re_…`. */
  readonly object: string
  readonly facts: RowFacts
  readonly owner: MerchantId
  /** Time of the previous check, for alerts that every check raises while the cause lasts. Otherwise null. */
  readonly lookedAtMs: number | null
}

/** One alert of a change that is not made yet. The caller logs it once the change is made. */
export function raisedOf(
  alert: AttentionAlert,
  facts: ObjectFacts,
  owner: MerchantId,
  lookedAtMs: number | null = null,
): Raised {
  const object = objectFacts.map((fact) => facts[fact]).find((id) => typeof id === 'string')
  if (typeof object !== 'string') throw new Error(`the alert ${alert} names no object`)
  return { alert, object, facts: facts as AlertFacts as RowFacts, owner, lookedAtMs }
}

/**
 * Alerts about the content of a rail's answer. They are written even if the resulting change is not, because the rail
 * may not repeat that answer.
 */
const ofAnswer: ReadonlySet<AttentionAlert> = new Set([
  'charge_amount_mismatch',
  'refund_amount_mismatch',
  'rail_unknown_status',
  'rail_misconfigured',
  'rail_adapter_fault',
])

export const saysAnswer = ({ alert }: Pick<Raised, 'alert'>): boolean => ofAnswer.has(alert)

export interface FailureAlerts {
  readonly raised: readonly Raised[]
  readonly ifRests: Raised
}

export type Raise = (alert: AttentionAlert, facts: ObjectFacts, lookedAtMs?: number | null) => void

export interface RaisedAlerts {
  readonly raise: Raise
  readonly raised: readonly Raised[]
}

/** Collects the alerts about one object of a merchant. The statement that records the object's change writes them. */
export function collectRaised(alert: Alert, owner: MerchantId): RaisedAlerts {
  const raised: Raised[] = []
  return {
    raised,
    raise: (name, facts, lookedAtMs) => {
      const one = raisedOf(name, facts, owner, lookedAtMs)
      alert(one.alert, one.facts)
      raised.push(one)
    },
  }
}
