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
