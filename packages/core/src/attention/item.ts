import type { AttentionAlert } from '@merchant-payments/contract'
import type { Raised } from '../base/raised.ts'

/** Alerts about one object that wait for their row. */
export interface Waiting extends Raised {
  readonly times: number
  readonly tries: number
}

/** Alerts about one object, with the id of the row that they get if they have none. */
export interface Recorded extends Waiting {
  readonly id: string
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
