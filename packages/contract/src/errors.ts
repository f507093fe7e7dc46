/** The facts of a rendered error that follow from its code (spec 7). */
export interface ErrorKind {
  readonly status: 400 | 401 | 403 | 404 | 409 | 500 | 501 | 502 | 503
  readonly type: 'authentication_error' | 'invalid_request_error' | 'idempotency_error' | 'api_error'
  /** Value of the `compat-should-retry` header. */
  readonly shouldRetry: boolean
  /** Whether the answer is stored under the Idempotency-Key and replayed. Never true for a 5xx (spec 8). */
  readonly stored: boolean
  /** The request whose answer is not stored although those of the code are. */
  readonly storedExcept?: string
  /** Meaning and remedy, for docs/errors.md and the OpenAPI documents. */
  readonly help: string
}

const conflict = { status: 409, type: 'invalid_request_error', shouldRetry: false, stored: true } as const

/** Every `error.code` that the API renders. docs/errors.md is generated from it. */
export const errorKinds = {
  authentication_error: {
    status: 401,
    type: 'authentication_error',
    shouldRetry: false,
    stored: false,
    help: 'The bearer token is missing, expired, not meant for this API, or its client is disabled. Mint a new token.',
  },
  forbidden: {
    status: 403,
    type: 'invalid_request_error',
    shouldRetry: false,
    stored: false,
    help: 'The token is valid and carries no scope for this method. Ask for payments:read or payments:write.',
  },
  resource_missing: {
    status: 404,
    type: 'invalid_request_error',
    shouldRetry: false,
    stored: true,
    help: 'No object of this merchant has the id in the path.',
  },
  unknown_route: {
    status: 404,
    type: 'invalid_request_error',
    shouldRetry: false,
    stored: false,
    help: 'The path is not part of the API.',
  },
  invalid_request: {
    status: 400,
    type: 'invalid_request_error',
    shouldRetry: false,
    stored: true,
    help: 'A parameter is missing or wrong; param names it in bracket spelling. Correct it and use a new Idempotency-Key.',
  },
  idempotency_key_in_use: {
    status: 400,
    type: 'idempotency_error',
    shouldRetry: false,
    stored: false,
    help: 'The Idempotency-Key was already used with another request: the parameters and their order are part of it. If this is a retry, the first request may have had its effect: read the object before you use a new key. Use a new key for each operation.',
  },
  idempotency_key_in_flight: {
    status: 400,
    type: 'idempotency_error',
    shouldRetry: true,
    stored: false,
    help: 'The first request with this Idempotency-Key is still running. Send the same request again after a moment.',
  },
  charge_in_progress: {
    ...conflict,
    storedExcept: 'a confirm that continues its own charge',
    help: 'A charge of this payment intent, or of this invoice, is being resolved with the rail. Poll the payment intent; do not charge again.',
  },
  charge_terminal: {
    ...conflict,
    help: 'The charge of this payment intent is terminal: it has been paid. Create a new payment intent for a new payment.',
  },
  intent_canceled: {
    ...conflict,
    help: 'The payment intent is canceled. If it was confirmed, its payer can still pay it: by default a rail gives the payer 5 or 10 minutes, and it can report a success after a refusal. Wait 40 minutes after the last confirm, then create a new one only if it is still canceled. If it has an invoice, pay the invoice again.',
  },
  too_many_attempts: {
    ...conflict,
    help: 'The payment intent has reached its limit of charges, or the lower limit of charges by payers. A refused charge can still succeed: wait half an hour after the last refusal, then create a new one only if this one is not paid. If it has an invoice, cancel it and pay the invoice again.',
  },
  intent_has_no_rail: {
    ...conflict,
    help: 'The deployment has none of the payment intent’s rails in its currency. Create a new payment intent; if this one has an invoice, cancel it and pay the invoice again.',
  },
  customer_erased: {
    ...conflict,
    help: 'The customer was erased and can no longer be changed or used.',
  },
  session_not_open: {
    ...conflict,
    help: 'The checkout session has ended: it is complete, expired or past its expires_at. Create a new one, unless it is paid.',
  },
  intent_has_session: {
    ...conflict,
    help: 'The payment intent already has a checkout session and cannot get another. Create a session with a new payment intent.',
  },
  intent_has_invoice: {
    ...conflict,
    help: 'The payment intent belongs to an invoice and cannot be put into a checkout session.',
  },
  lookups_spent: {
    ...conflict,
    stored: false,
    help: 'This payment has used all account holder look-ups of its payer. Pay without a look-up.',
  },
  intent_not_succeeded: {
    ...conflict,
    help: 'The payment intent is not paid, so there is nothing to refund. Wait for payment_intent.succeeded.',
  },
  charge_unproven: {
    ...conflict,
    help: 'Staff ruled the payment as paid, and the rail’s evidence is not recorded yet. Refund it after it is recorded.',
  },
  refund_not_cancelable: {
    ...conflict,
    help: 'The rail was instructed when the refund was created, and an instruction cannot be withdrawn.',
  },
  invoice_not_draft: {
    ...conflict,
    help: 'The invoice was finalized: only its description and metadata can change. Void it and create a new invoice.',
  },
  invoice_draft: {
    ...conflict,
    help: 'The invoice is still a draft. Finalize it first.',
  },
  invoice_paid: {
    ...conflict,
    help: 'The invoice is paid: it cannot be paid, voided or written off, and its payment intent cannot be confirmed.',
  },
  invoice_void: {
    ...conflict,
    help: 'The invoice is void: it cannot be paid, voided or written off, and its payment intent cannot be confirmed.',
  },
  invoice_uncollectible: {
    ...conflict,
    help: 'The invoice is already uncollectible. It can still be paid or voided.',
  },
  not_supported: {
    status: 501,
    type: 'api_error',
    shouldRetry: false,
    stored: false,
    help: 'The rail does not support this operation.',
  },
  provider_unavailable: {
    status: 502,
    type: 'api_error',
    shouldRetry: true,
    stored: false,
    help: 'The rail could not be reached or did not answer. Retry with the same Idempotency-Key. If the charge is live by then, the answer is a 409.',
  },
  service_unavailable: {
    status: 503,
    type: 'api_error',
    shouldRetry: true,
    stored: false,
    help: 'The service cannot handle the request now. Send the same request with the same Idempotency-Key after a moment.',
  },
  internal_error: {
    status: 500,
    type: 'api_error',
    shouldRetry: true,
    stored: false,
    help: 'An error in the service. Retry with the same Idempotency-Key; quote the request-id if it persists.',
  },
} as const satisfies Record<string, ErrorKind>

/** Staff refusals are not stored: the key of a staff request is stored with its change. */
const staffConflict = { ...conflict, stored: false } as const

/** Errors of the staff's surface only. Merchants never get these. */
export const staffErrorKinds = {
  client_disabled: {
    ...staffConflict,
    help: 'The merchant is disabled, and its objects with it. Enable it first.',
  },
  merchant_moved: {
    ...staffConflict,
    help: 'The merchant has moved to another cell, which the message names. Use the dashboard of that cell.',
  },
  delivery_not_replayable: {
    ...staffConflict,
    help: 'The delivery has succeeded or is still pending. Only an exhausted or dead-lettered delivery can be replayed.',
  },
  fanout_not_failed: {
    ...staffConflict,
    help: 'The fan-out of the event has not failed, so there is nothing to retry.',
  },
  charge_not_resolvable: {
    ...staffConflict,
    help: 'The charge already has this outcome, or is being submitted, or its statement proves another charge, or the rail’s statement lists that transaction with other money or for another charge.',
  },
  charge_changed: {
    ...staffConflict,
    help: 'The rail reports other money about the charge than the author of the ruling saw. Look at the charge again before you rule on it.',
  },
  intent_changed: {
    ...staffConflict,
    help: 'Refunds hold another amount of the payment than the author of the refund saw. Look at the payment again before you refund it.',
  },
  charge_not_queryable: {
    ...staffConflict,
    help: 'The charge is paid, or its submit is still running.',
  },
  charge_not_duplicate: {
    ...staffConflict,
    help: 'Only a duplicate charge can be returned. To give back a payment, refund it.',
  },
  charge_returned: {
    ...staffConflict,
    help: 'The charge has been returned, or is being returned. Another return is possible only if the rail refuses this one.',
  },
  approval_pending: {
    ...staffConflict,
    help: 'The same change of this object already waits for approval. Approve or decline that request first.',
  },
  approval_not_pending: {
    ...staffConflict,
    help: 'The approval request has been decided or has expired. Make the change again if it is still needed.',
  },
  approval_by_author: {
    ...staffConflict,
    help: 'The author of a request cannot approve it. Another staff member with the role must.',
  },
  approval_obsolete: {
    ...staffConflict,
    help: 'The object has changed since the request was made, so the request has ended and changed nothing. Make the change again if it is still needed.',
  },
  attention_changed: {
    ...staffConflict,
    help: 'Since the item was seen, an alert has told of something new about the object, or somebody else has taken the item. Look at it again, and send its present version or assignee.',
  },
  attention_resolved: {
    ...staffConflict,
    help: 'The item is already resolved. It opens again if an alert tells of something new about its object.',
  },
  finding_changed: {
    ...staffConflict,
    help: 'The rail has given another answer since the finding was seen. Look at the finding again before you close it.',
  },
  statement_not_open: {
    ...staffConflict,
    help: 'The statement takes no more lines, because it was compared or replaced. Upload the file again.',
  },
  statement_unreadable: {
    ...staffConflict,
    help: 'The file has none of the columns that the configuration names for this rail. Check the rail and the file.',
  },
  statement_incomplete: {
    ...staffConflict,
    help: 'The file has other parts than those that were taken. Send the missing ones, or upload the file again.',
  },
  statement_begun: {
    ...staffConflict,
    help: 'Another upload of the day began at the same time. Look at its statement before you replace it.',
  },
  statement_closed: {
    ...staffConflict,
    help: 'The day is closed. Reopen it before you upload another statement.',
  },
  statement_not_matched: {
    ...staffConflict,
    help: 'A day is closed once its statement is compared, and only once.',
  },
  statement_changed: {
    ...staffConflict,
    help: 'The counts of the statement have changed since it was seen. Look at the statement again before you close its day.',
  },
  statement_not_closed: {
    ...staffConflict,
    help: 'The day is not closed, so it cannot be reopened.',
  },
  bulk_job_limit: {
    ...staffConflict,
    help: 'Another bulk job sends this endpoint’s deliveries again, or three of your bulk jobs are running. Wait until one is finished, or cancel it.',
  },
  bulk_job_not_running: {
    ...staffConflict,
    help: 'The bulk job has finished or was canceled. What it did stays.',
  },
  staff_limit_reached: {
    ...staffConflict,
    help: 'You have reached your role’s daily limit, by count or by amount. Another staff member can make the change now, or you can after midnight (UTC).',
  },
  step_up_required: {
    status: 403,
    type: 'invalid_request_error',
    shouldRetry: false,
    stored: false,
    help: 'This change requires a recent sign-in. Sign in through sign_in with step_up=true, then make it again.',
  },
  identity_provider_unavailable: {
    status: 502,
    type: 'api_error',
    shouldRetry: true,
    stored: false,
    help: 'The identity provider could not be reached or did not answer. Sign in again after a moment.',
  },
} as const satisfies Record<string, ErrorKind>

export type ErrorCode = keyof typeof errorKinds
export type StaffErrorCode = keyof typeof staffErrorKinds

const allKinds: Record<ErrorCode | StaffErrorCode, ErrorKind> = { ...errorKinds, ...staffErrorKinds }

/** The JSON body of every rendered error (spec 7.1). */
interface ErrorEnvelope {
  readonly error: {
    readonly type: ErrorKind['type']
    readonly code: ErrorCode | StaffErrorCode
    readonly message: string
    readonly param?: string
  }
}

/** Limit for the shown name of a parameter, because the name can be as long as the body. */
const PARAM_CHARS_MAX = 100

/** A word or an index. Five digits could be of a phone number or of an id. */
const part = String.raw`(?!(?:[a-z_-]*\d){5})[\w-]*`
const plainName = new RegExp(String.raw`^(?=[a-z_])${part}(?:\[${part}\])*$`, 'i')

/** The parameter's name without brackets, if it is a plain word. */
export const leadingWordOf = (name: string): string | undefined => /^([a-z_]{1,40})(?:\[|$)/.exec(name)?.[1]

/**
 * The part of a name that may be shown, stored and logged. Other parts may be private: JSON sent as a form becomes one
 * long name, and metadata keys are free text.
 */
const shownOf = (name: string): string | undefined =>
  plainName.test(name) ? name.slice(0, PARAM_CHARS_MAX) : leadingWordOf(name)

/** A parameter can be part of a longer one, as `amount` is of `unit_amount`. */
const namesWord = (message: string, param: string): boolean => message.split(/[^\w[\]]+/).includes(param)

/** Names the parameter in the message, because logs and consoles often show the message alone. */
function sentenceOf(param: string, message: string): string {
  const isNamed = message.startsWith(`${param} `) || (/^[A-Z]/.test(message) && namesWord(message, param))
  if (isNamed) return message
  return /^[a-z]/.test(message) ? `${param} ${message}` : `${param}: ${message}`
}

/**
 * An error that the contract names. Any other thrown error is a bug and renders as `internal_error`. The message is
 * for the merchant: it never holds a host, a table, a credential or an id. A parameter's name that is not made of plain
 * words is cut to its leading word.
 *
 * @example throw new Refusal('invalid_request', 'must be XAF or EUR', { param: 'currency' })
 */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: ErrorCode | StaffErrorCode
  readonly param: string | undefined

  constructor(
    code: ErrorCode | StaffErrorCode,
    message: string,
    options: { param?: string; cause?: unknown } = {},
  ) {
    const shown = options.param === undefined ? undefined : shownOf(options.param)
    const isHidden = options.param !== undefined && shown === undefined
    super(
      isHidden ? `A parameter’s name ${message}` : message,
      options.cause === undefined ? undefined : { cause: options.cause },
    )
    this.code = code
    this.param = shown
  }

  get kind(): ErrorKind {
    return allKinds[this.code]
  }

  toEnvelope(): ErrorEnvelope {
    const { code, message, param } = this
    const { type } = this.kind
    if (param === undefined) return { error: { type, code, message } }
    return { error: { type, code, message: sentenceOf(param, message), param } }
  }
}
