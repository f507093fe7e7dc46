export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** What a request must be answered with. */
export type Verdict = Answered | Refusal

export interface Answered {
  readonly status: 200 | 201
  readonly body: Json
}

export interface Refusal {
  readonly status: number
  readonly code: RefusalCode
  readonly param: string | undefined
}

/** Spec 7.2 and docs/errors.md. */
const statuses = {
  invalid_request: 400,
  idempotency_key_in_use: 400,
  resource_missing: 404,
  charge_in_progress: 409,
  charge_terminal: 409,
  too_many_attempts: 409,
  intent_has_no_rail: 409,
  intent_canceled: 409,
  customer_erased: 409,
  session_not_open: 409,
  lookups_spent: 409,
  intent_has_session: 409,
  intent_has_invoice: 409,
  intent_not_succeeded: 409,
  refund_not_cancelable: 409,
  invoice_not_draft: 409,
  invoice_draft: 409,
  invoice_paid: 409,
  invoice_void: 409,
  invoice_uncollectible: 409,
  not_supported: 501,
  provider_unavailable: 502,
} as const

export type RefusalCode = keyof typeof statuses

/** Thrown by a rule that a request breaks. */
export class Refused extends Error {
  readonly verdict: Refusal

  constructor(code: RefusalCode, param?: string) {
    super(code)
    this.verdict = { status: statuses[code], code, param }
  }
}

export const bad = (param: string): Refused => new Refused('invalid_request', param)
