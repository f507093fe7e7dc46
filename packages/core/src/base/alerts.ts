import type { MerchantId } from './ids.ts'

/** Alerts for operators, by stable name. docs/operations.md says what to do for each. */
export const alertNames = [
  'charge_stuck',
  'charge_amount_mismatch',
  'charge_duplicate_success',
  'invoice_paid_twice',
  'charge_vanished',
  'charge_rests',
  'refund_stuck',
  'refund_rests',
  'refund_paid_after_failure',
  'rail_unknown_status',
  'rail_misconfigured',
  'rail_adapter_fault',
  'webhook_exhausted',
  'webhook_endpoint_gone',
  'delivery_dead_lettered',
  'fanout_failed',
  'partition_kept',
  'partition_held',
  'archive_overdue',
  'erasure_stuck',
  'staff_approval_requested',
  'staff_approval_given',
  'staff_approval_declined',
  'staff_approval_obsolete',
  'staff_limit_reached',
  'pass_overdue',
  'row_refused',
] as const

export type AlertName = (typeof alertNames)[number]

/** Only ids, counts and codes. Never a phone number, a name, a body or a secret. */
export type AlertFacts = Readonly<Record<string, string | number | null>>

/** Where an alert's item of the inbox comes from: the alert itself, or the statement of the change that raised it. */
type ItemFrom = 'alert' | 'change'

/**
 * @param owner the merchant of the alert's object, by which its item of the inbox is found at once
 * @param lookedAtMs the last look at the object before this one, if each look raises the alert while its cause lasts
 * @param itemFrom default: the alert
 */
export type Alert = (
  name: AlertName,
  facts: AlertFacts,
  owner?: MerchantId,
  lookedAtMs?: number | null,
  itemFrom?: ItemFrom,
) => void
