import type { WalletCode } from './answers.ts'

type DelayName = 'autoApproveAfterMs' | 'promptTimeoutMs' | 'ongoingAfterMs' | 'lateSuccessAfterMs'

export type Step =
  | { readonly after: DelayName; readonly state: 'SUCCESSFUL' }
  | { readonly after: DelayName; readonly state: 'FAILED'; readonly reason: WalletCode }

/**
 * The behaviour of a payment. The number's last three digits select it at the submit; it stays with the
 * reference.
 */
export type Scenario = {
  readonly suffix: string
  readonly summary: string
  /** Each delay starts at the previous step. Without steps the payment stays pending. */
  readonly steps: readonly Step[]
  /** The setting refusalsAt decides whether the submit itself is refused. */
  readonly refusal?: WalletCode
  /** The submit is reset before the rail acts on it. */
  readonly neverAccepted?: true
  /** The answer to an accepted submit, if it is not 202. */
  readonly submitAnswer?: 'reset' | 'http_500' | 'hang' | 'after_callback'
  readonly firstQueries?: 'http_500' | 'not_found'
  readonly pendingAs?: { readonly status: string; readonly reason?: WalletCode }
  readonly reasonShape?: 'object'
  /** The reason's message names the payer, as some operators' messages do. */
  readonly namesPayer?: true
  readonly movesOneMore?: true
  readonly callbackCount?: 2
}

export const QUERIES_SPOILED = 3

const success: readonly Step[] = [{ after: 'autoApproveAfterMs', state: 'SUCCESSFUL' }]

function failing(suffix: string, reason: WalletCode, summary = `FAILED, reason ${reason}`): Scenario {
  return { suffix, summary, steps: [{ after: 'autoApproveAfterMs', state: 'FAILED', reason }] }
}

function refusing(suffix: string, refusal: WalletCode): Scenario {
  return { ...failing(suffix, refusal, `FAILED, reason ${refusal}; or refused at the submit`), refusal }
}

function ongoing(suffix: string): Scenario {
  const summary = 'ONGOING: pending, then SUCCESSFUL after a while'
  return { suffix, summary, steps: [{ after: 'ongoingAfterMs', state: 'SUCCESSFUL' }] }
}

function delayed(suffix: string): Scenario {
  return { suffix, summary: 'DELAYED: stays pending', steps: [] }
}

/** Rows that MTN's table lacks, for requests to pay and transfers alike. */
const ours: readonly Scenario[] = [
  failing('470', 'NOT_ENOUGH_FUNDS'),
  failing('471', 'LOW_BALANCE_OR_PAYEE_LIMIT_REACHED_OR_NOT_ALLOWED'),
  failing('472', 'SENDER_ACCOUNT_NOT_ACTIVE'),
  failing('473', 'PAYER_LIMIT_REACHED'),
  failing('474', 'TRANSACTION_CANCELED'),
  {
    suffix: '475',
    summary: 'A status word that nobody documents, for ever',
    steps: [],
    pendingAs: { status: 'AWAITING_AUTHORIZATION' },
  },
  {
    ...failing('476', 'PAYER_NOT_FOUND', 'FAILED, reason PAYER_NOT_FOUND as an object'),
    reasonShape: 'object',
  },
  {
    suffix: '477',
    summary: 'FAILED with reason PAYER_DELAYED, which is not final; then SUCCESSFUL',
    steps: [{ after: 'ongoingAfterMs', state: 'SUCCESSFUL' }],
    pendingAs: { status: 'FAILED', reason: 'PAYER_DELAYED' },
  },
  {
    ...failing('479', 'NOT_ENOUGH_FUNDS', 'FAILED, with a reason whose message names the payer'),
    reasonShape: 'object',
    namesPayer: true,
  },
  {
    suffix: '480',
    summary: 'Late success: FAILED (COULD_NOT_PERFORM_TRANSACTION), later SUCCESSFUL',
    steps: [
      { after: 'autoApproveAfterMs', state: 'FAILED', reason: 'COULD_NOT_PERFORM_TRANSACTION' },
      { after: 'lateSuccessAfterMs', state: 'SUCCESSFUL' },
    ],
  },
  { suffix: '481', summary: 'SUCCESSFUL with one unit more than asked', steps: success, movesOneMore: true },
  { suffix: '482', summary: 'Accepted, then the connection is reset', steps: success, submitAnswer: 'reset' },
  { suffix: '483', summary: 'Accepted, then HTTP 500', steps: success, submitAnswer: 'http_500' },
  {
    suffix: '484',
    summary: 'Connection reset, never accepted',
    steps: [],
    neverAccepted: true,
  },
  { suffix: '485', summary: 'Accepted, then no answer at all', steps: success, submitAnswer: 'hang' },
  {
    suffix: '486',
    summary: `The first ${QUERIES_SPOILED} status queries answer 500`,
    steps: success,
    firstQueries: 'http_500',
  },
  {
    suffix: '487',
    summary: `The first ${QUERIES_SPOILED} status queries answer 404`,
    steps: success,
    firstQueries: 'not_found',
  },
  {
    suffix: '488',
    summary: 'SUCCESSFUL, and the callback arrives before the 202',
    steps: [],
    submitAnswer: 'after_callback',
  },
  { suffix: '489', summary: 'The callback comes twice', steps: success, callbackCount: 2 },
]

const otherwise: Scenario = { suffix: 'other', summary: 'SUCCESSFUL', steps: success }

export const CHARGE_SCENARIOS: readonly Scenario[] = [
  {
    suffix: '000',
    summary: 'Waits for a person on the handset page; FAILED when the prompt times out',
    steps: [{ after: 'promptTimeoutMs', state: 'FAILED', reason: 'COULD_NOT_PERFORM_TRANSACTION' }],
  },
  failing('450', 'INTERNAL_PROCESSING_ERROR'),
  failing('451', 'APPROVAL_REJECTED'),
  failing('452', 'EXPIRED'),
  ongoing('453'),
  delayed('454'),
  refusing('455', 'PAYER_NOT_FOUND'),
  refusing('456', 'PAYEE_NOT_ALLOWED_TO_RECEIVE'),
  refusing('457', 'NOT_ALLOWED'),
  refusing('458', 'NOT_ALLOWED_TARGET_ENVIRONMENT'),
  refusing('459', 'INVALID_CALLBACK_URL_HOST'),
  refusing('460', 'INVALID_CURRENCY'),
  refusing('461', 'INTERNAL_PROCESSING_ERROR'),
  refusing('462', 'SERVICE_UNAVAILABLE'),
  failing('463', 'COULD_NOT_PERFORM_TRANSACTION'),
  failing('464', 'TRANSFER_TYPE_UNKNOWN'),
  ...ours,
  otherwise,
]

export const TRANSFER_SCENARIOS: readonly Scenario[] = [
  failing('450', 'INTERNAL_PROCESSING_ERROR'),
  failing('451', 'APPROVAL_REJECTED'),
  failing('452', 'EXPIRED'),
  ongoing('453'),
  delayed('454'),
  refusing('455', 'NOT_ENOUGH_FUNDS'),
  refusing('456', 'PAYER_LIMIT_REACHED'),
  refusing('457', 'PAYEE_NOT_FOUND'),
  refusing('458', 'NOT_ALLOWED'),
  refusing('459', 'NOT_ALLOWED_TARGET_ENVIRONMENT'),
  refusing('460', 'INVALID_CALLBACK_URL_HOST'),
  refusing('461', 'INVALID_CURRENCY'),
  refusing('462', 'INTERNAL_PROCESSING_ERROR'),
  refusing('463', 'SERVICE_UNAVAILABLE'),
  failing('464', 'TRANSFER_TYPE_UNKNOWN'),
  ...ours,
  otherwise,
]

export function scenarioLookup(scenarios: readonly Scenario[]): (msisdn: string) => Scenario {
  const bySuffix = new Map(scenarios.map((scenario) => [scenario.suffix, scenario]))
  return (msisdn) => bySuffix.get(msisdn.slice(-3)) ?? otherwise
}
