import { expect } from 'vitest'
import type { TestAnswer } from './send.ts'

/** Status, type and retry header of each code, from spec 7.2 and docs/errors.md. */
const kinds = {
  authentication_error: [401, 'authentication_error', 'false'],
  forbidden: [403, 'invalid_request_error', 'false'],
  resource_missing: [404, 'invalid_request_error', 'false'],
  unknown_route: [404, 'invalid_request_error', 'false'],
  invalid_request: [400, 'invalid_request_error', 'false'],
  idempotency_key_in_use: [400, 'idempotency_error', 'false'],
  idempotency_key_in_flight: [400, 'idempotency_error', 'true'],
  charge_in_progress: [409, 'invalid_request_error', 'false'],
  charge_terminal: [409, 'invalid_request_error', 'false'],
  intent_canceled: [409, 'invalid_request_error', 'false'],
  customer_erased: [409, 'invalid_request_error', 'false'],
  too_many_attempts: [409, 'invalid_request_error', 'false'],
  intent_has_no_rail: [409, 'invalid_request_error', 'false'],
  session_not_open: [409, 'invalid_request_error', 'false'],
  intent_has_session: [409, 'invalid_request_error', 'false'],
  intent_has_invoice: [409, 'invalid_request_error', 'false'],
  intent_not_succeeded: [409, 'invalid_request_error', 'false'],
  charge_unproven: [409, 'invalid_request_error', 'false'],
  lookups_spent: [409, 'invalid_request_error', 'false'],
  refund_not_cancelable: [409, 'invalid_request_error', 'false'],
  not_supported: [501, 'api_error', 'false'],
  invoice_not_draft: [409, 'invalid_request_error', 'false'],
  invoice_draft: [409, 'invalid_request_error', 'false'],
  invoice_paid: [409, 'invalid_request_error', 'false'],
  invoice_void: [409, 'invalid_request_error', 'false'],
  invoice_uncollectible: [409, 'invalid_request_error', 'false'],
  client_disabled: [409, 'invalid_request_error', 'false'],
  merchant_moved: [409, 'invalid_request_error', 'false'],
  delivery_not_replayable: [409, 'invalid_request_error', 'false'],
  fanout_not_failed: [409, 'invalid_request_error', 'false'],
  charge_not_resolvable: [409, 'invalid_request_error', 'false'],
  charge_changed: [409, 'invalid_request_error', 'false'],
  intent_changed: [409, 'invalid_request_error', 'false'],
  charge_not_queryable: [409, 'invalid_request_error', 'false'],
  charge_not_duplicate: [409, 'invalid_request_error', 'false'],
  charge_returned: [409, 'invalid_request_error', 'false'],
  approval_pending: [409, 'invalid_request_error', 'false'],
  approval_not_pending: [409, 'invalid_request_error', 'false'],
  attention_changed: [409, 'invalid_request_error', 'false'],
  attention_resolved: [409, 'invalid_request_error', 'false'],
  approval_by_author: [409, 'invalid_request_error', 'false'],
  approval_obsolete: [409, 'invalid_request_error', 'false'],
  finding_changed: [409, 'invalid_request_error', 'false'],
  statement_not_open: [409, 'invalid_request_error', 'false'],
  statement_unreadable: [409, 'invalid_request_error', 'false'],
  statement_begun: [409, 'invalid_request_error', 'false'],
  statement_closed: [409, 'invalid_request_error', 'false'],
  statement_incomplete: [409, 'invalid_request_error', 'false'],
  statement_not_matched: [409, 'invalid_request_error', 'false'],
  statement_changed: [409, 'invalid_request_error', 'false'],
  statement_not_closed: [409, 'invalid_request_error', 'false'],
  bulk_job_limit: [409, 'invalid_request_error', 'false'],
  bulk_job_not_running: [409, 'invalid_request_error', 'false'],
  staff_limit_reached: [409, 'invalid_request_error', 'false'],
  step_up_required: [403, 'invalid_request_error', 'false'],
  identity_provider_unavailable: [502, 'api_error', 'true'],
  provider_unavailable: [502, 'api_error', 'true'],
  service_unavailable: [503, 'api_error', 'true'],
  internal_error: [500, 'api_error', 'true'],
} as const

type RefusalCode = keyof typeof kinds

interface AnswerMatchers<R> {
  /** Expects the complete refusal of the code: status, body and headers. */
  toBeRefusal(code: RefusalCode, param?: string): R
  /** Expects a 405 or 413 without JSON (spec 7.1), or a 412 for a file. */
  toBeBare(status: 405 | 412 | 413): R
  /** Expects the stored response byte for byte, apart from headers of the single request (spec 8). */
  toReplay(original: TestAnswer): R
  /** Expects `request-id` and `x-request-id` with one value, on every response (spec 7.2). */
  toHaveRequestId(): R
}

declare module 'vitest' {
  // oxlint-disable-next-line no-unused-vars -- a merged declaration has the parameters of the first
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown>
    extends AnswerMatchers<R> {}
}

/** Expects no message with details of the deployment, the database or the code (spec 7.1). */
export const discreet =
  /^(?!.*(?:127\.0\.0\.1|localhost|postgres|mp_[0-9a-f]|select |insert |constraint|\.ts\b|node_modules|FST_|ERR_|undefined|\[object)).+$/is

const requestIds = ({ headers }: TestAnswer) => ({
  requestId: headers['request-id'],
  requestIdsAgree: headers['request-id'] === headers['x-request-id'],
})
const goodRequestIds = () => ({
  requestId: expect.stringMatching(/^req_[0-9a-f]{32}$/),
  requestIdsAgree: true,
})

const refusalSeen = (answer: TestAnswer) => ({
  status: answer.status,
  body: answer.body,
  type: answer.headers['content-type'],
  shouldRetry: answer.headers['compat-should-retry'],
  shouldRetryAlias: answer.headers['stripe-should-retry'],
  mayBeCached: /public|max-age/.test(String(answer.headers['cache-control'])),
  ...requestIds(answer),
})

function refusalWanted(code: RefusalCode, param: string | undefined) {
  const [status, type, shouldRetry] = kinds[code]
  const message = expect.stringMatching(discreet)
  return {
    status,
    body: { error: { type, code, message, ...(param === undefined ? {} : { param }) } },
    type: expect.stringMatching(/^application\/json(; charset=utf-8)?$/),
    shouldRetry,
    shouldRetryAlias: shouldRetry,
    mayBeCached: false,
    ...goodRequestIds(),
  }
}

const bareSeen = (answer: TestAnswer) => ({
  status: answer.status,
  json: answer.body,
  type: answer.headers['content-type'] ?? 'text/plain',
  ...requestIds(answer),
})

const bareWanted = (status: number) => ({
  status,
  json: null,
  type: expect.stringMatching(/^text\/plain/),
  ...goodRequestIds(),
})

const ownHeaders = ['request-id', 'x-request-id', 'date', 'idempotent-replayed']

const kept = ({ status, text, headers }: TestAnswer) => ({
  status,
  text,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !ownHeaders.includes(name))),
})

const replaySeen = (answer: TestAnswer, original: TestAnswer) => ({
  ...kept(answer),
  replayed: answer.headers['idempotent-replayed'],
  originalReplayed: original.headers['idempotent-replayed'],
  isAnotherExchange: answer.headers['request-id'] !== original.headers['request-id'],
})

const replayWanted = (original: TestAnswer) => ({
  ...kept(original),
  replayed: 'true',
  originalReplayed: undefined,
  isAnotherExchange: true,
})

interface Context {
  equals: (actual: unknown, expected: unknown) => boolean
}

const judged = ({ equals }: Context, what: string, actual: unknown, expected: unknown) => ({
  pass: equals(actual, expected),
  message: () => `the answer is not ${what}`,
  actual,
  expected,
})

expect.extend({
  toBeRefusal(answer: TestAnswer, code: RefusalCode, param?: string) {
    return judged(this, `the refusal ${code}`, refusalSeen(answer), refusalWanted(code, param))
  },
  toBeBare(answer: TestAnswer, status: 405 | 412 | 413) {
    return judged(this, `a bare ${status}`, bareSeen(answer), bareWanted(status))
  },
  toReplay(answer: TestAnswer, original: TestAnswer) {
    return judged(this, 'a replay', replaySeen(answer, original), replayWanted(original))
  },
  toHaveRequestId(answer: TestAnswer) {
    return judged(this, 'one with a request id', requestIds(answer), goodRequestIds())
  },
})
