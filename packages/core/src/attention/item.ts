import type { AttentionAlert } from '@merchant-payments/contract'

/** Raised once each time that something happens. Others are raised again while their cause lasts. */
const momentary: ReadonlySet<AttentionAlert> = new Set([
  'charge_duplicate_success',
  'invoice_paid_twice',
  'charge_rests',
  'refund_rests',
  'refund_paid_after_failure',
  'webhook_exhausted',
  'webhook_endpoint_gone',
  'delivery_dead_lettered',
  'fanout_failed',
])

export const isMomentary = (alert: AttentionAlert): boolean => momentary.has(alert)
