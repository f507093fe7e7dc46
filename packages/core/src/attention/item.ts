import { createHash } from 'node:crypto'
import type { AttentionAlert } from '@merchant-payments/contract'

/** Alerts that are raised once for each occurrence. The others are raised again while their cause lasts. */
const momentary: ReadonlySet<AttentionAlert> = new Set([
  'charge_duplicate_success',
  'charge_proof_lost',
  'invoice_paid_twice',
  'charge_rests',
  'refund_rests',
  'refund_paid_after_failure',
  'refund_amount_mismatch',
  'webhook_exhausted',
  'webhook_endpoint_gone',
  'delivery_dead_lettered',
  'fanout_failed',
])

export const isMomentary = (alert: AttentionAlert): boolean => momentary.has(alert)

const VERSION_CHARS = 22

interface Told {
  readonly alert: AttentionAlert
  readonly facts: unknown
  readonly state: string | null
  readonly times: number
}

/** Names what the alerts have told so far, without the repetitions of a cause that lasts. */
export const versionOf = ({ alert, facts, state, times }: Told): string =>
  createHash('sha256')
    .update(JSON.stringify([facts, state, isMomentary(alert) ? times : null]))
    .digest('base64url')
    .slice(0, VERSION_CHARS)
