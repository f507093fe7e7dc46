/**
 * Every `code` that the API renders (spec 7). A later version of the service may add one.
 *
 * @example
 * ```ts
 * const settled: readonly ErrorCode[] = ['charge_terminal', 'intent_canceled']
 * ```
 */
export type ErrorCode =
  | 'authentication_error'
  | 'forbidden'
  | 'resource_missing'
  | 'unknown_route'
  | 'invalid_request'
  | 'idempotency_key_in_use'
  | 'idempotency_key_in_flight'
  | 'charge_in_progress'
  | 'charge_terminal'
  | 'intent_canceled'
  | 'too_many_attempts'
  | 'customer_erased'
  | 'session_not_open'
  | 'intent_has_session'
  | 'intent_has_invoice'
  | 'lookups_spent'
  | 'intent_not_succeeded'
  | 'charge_unproven'
  | 'refund_not_cancelable'
  | 'invoice_not_draft'
  | 'invoice_draft'
  | 'invoice_paid'
  | 'invoice_void'
  | 'invoice_uncollectible'
  | 'not_supported'
  | 'provider_unavailable'
  | 'service_unavailable'
  | 'internal_error'
