type DelayName = 'decidesAfterMs' | 'ongoingAfterMs' | 'lateSuccessAfterMs'

/** The reason of a failure, for the control plane only. Orange never tells its merchants. */
export type FailureReason =
  | 'REFUSED_BY_PAYER'
  | 'NOT_ENOUGH_FUNDS'
  | 'ACCOUNT_NOT_ACTIVE'
  | 'LIMIT_REACHED'
  | 'WRONG_OTP'

export type OrangeOutcome =
  | { readonly state: 'SUCCESS' | 'EXPIRED' }
  | { readonly state: 'FAILED'; readonly reason: FailureReason }

export type OrangeStep = OrangeOutcome & { readonly after: DelayName }

/**
 * The behaviour of a payment. The last three digits of the number that the payer types select it. The last
 * three digits of the amount can select it too, as if a payer with such a number had come and paid.
 */
export type OrangeScenario = {
  readonly suffix: string
  readonly summary: string
  /**
   * Steps after the payer's confirmation. Each delay starts at the previous step. Without steps the payment
   * stays PENDING.
   */
  readonly steps: readonly OrangeStep[]
  /** Only an amount selects it: the scenario concerns the submit or an absent payer, before any number is typed. */
  readonly onlyByAmount?: true
  /** The submit is reset before the rail acts on it. */
  readonly neverAccepted?: true
  /** The answer to an accepted submit, if it is not 201. */
  readonly submitAnswer?: 'reset' | 'http_500' | 'hang'
  readonly neverExpires?: true
  /** Succeeds at once. The request that caused the success is answered after the notification. */
  readonly notifiesFirst?: true
  readonly firstQueries?: 'http_500' | 'not_found'
  readonly pendingAs?: string
  readonly notificationCount?: 2
}

export const QUERIES_SPOILED = 3

const success: readonly OrangeStep[] = [{ after: 'decidesAfterMs', state: 'SUCCESS' }]

function failing(suffix: string, reason: FailureReason): OrangeScenario {
  return {
    suffix,
    summary: `FAILED: ${reason}`,
    steps: [{ after: 'decidesAfterMs', state: 'FAILED', reason }],
  }
}

function byAmount(suffix: string, summary: string, how: Partial<OrangeScenario>): OrangeScenario {
  return { suffix, summary: `By amount: ${summary}`, steps: [], onlyByAmount: true, ...how }
}

/** The scenario of a number without a row. An amount without a row waits for a payer at the page. */
export const OTHERWISE: OrangeScenario = {
  suffix: 'other',
  summary: 'SUCCESS; by amount: waits for a payer at the page, then EXPIRED',
  steps: success,
}

/**
 * The endings of MTN's table that both rails have. None is a usual price, since prices are multiples of five
 * francs.
 */
export const ORANGE_SCENARIOS: readonly OrangeScenario[] = [
  failing('451', 'REFUSED_BY_PAYER'),
  {
    suffix: '452',
    summary: 'EXPIRED: confirmed too late',
    steps: [{ after: 'decidesAfterMs', state: 'EXPIRED' }],
  },
  {
    suffix: '453',
    summary: 'ONGOING: PENDING, then SUCCESS after a while',
    steps: [{ after: 'ongoingAfterMs', state: 'SUCCESS' }],
  },
  { suffix: '454', summary: 'DELAYED: stays PENDING', steps: [] },
  failing('471', 'NOT_ENOUGH_FUNDS'),
  failing('472', 'ACCOUNT_NOT_ACTIVE'),
  failing('473', 'LIMIT_REACHED'),
  failing('474', 'WRONG_OTP'),
  byAmount('482', 'accepted, then the connection is reset', { submitAnswer: 'reset' }),
  byAmount('483', 'accepted, then HTTP 500', { submitAnswer: 'http_500' }),
  byAmount('484', 'connection reset, never accepted', { neverAccepted: true }),
  {
    suffix: '486',
    summary: `SUCCESS; the next ${QUERIES_SPOILED} status queries answer 500`,
    steps: success,
    firstQueries: 'http_500',
  },
  {
    suffix: '487',
    summary: `SUCCESS; the next ${QUERIES_SPOILED} status queries answer 404`,
    steps: success,
    firstQueries: 'not_found',
  },
  {
    suffix: '488',
    summary: 'SUCCESS at once; the notification arrives before the answer',
    steps: [],
    notifiesFirst: true,
  },
  { suffix: '489', summary: 'SUCCESS; the notification comes twice', steps: success, notificationCount: 2 },
  { suffix: '491', summary: 'SUCCESS', steps: success },
  {
    suffix: '492',
    summary: 'Late success: FAILED (NOT_ENOUGH_FUNDS), later SUCCESS',
    steps: [
      { after: 'decidesAfterMs', state: 'FAILED', reason: 'NOT_ENOUGH_FUNDS' },
      { after: 'lateSuccessAfterMs', state: 'SUCCESS' },
    ],
  },
  {
    suffix: '493',
    summary: 'Late success: EXPIRED, later SUCCESS',
    steps: [
      { after: 'decidesAfterMs', state: 'EXPIRED' },
      { after: 'lateSuccessAfterMs', state: 'SUCCESS' },
    ],
  },
  {
    suffix: '494',
    summary: 'A status word that nobody documents, for ever',
    steps: [],
    pendingAs: 'IN_RECONCILIATION',
  },
  byAmount('496', 'accepted, then no answer at all', { submitAnswer: 'hang' }),
  byAmount('497', 'stays INITIATED, never EXPIRED', { neverExpires: true }),
  OTHERWISE,
]

const bySuffix = new Map(ORANGE_SCENARIOS.map((scenario) => [scenario.suffix, scenario]))

/** The payer's number if the control plane decides. */
export const ANY_PAYER = '237690000000'

/** The payer's number if the amount selected the scenario. */
export function numberOf({ suffix }: OrangeScenario): string {
  return `${ANY_PAYER.slice(0, -suffix.length)}${suffix}`
}

export function scenarioOfAmount(amount: string): OrangeScenario | undefined {
  return bySuffix.get(amount.slice(-3))
}

export function scenarioOfNumber(msisdn: string): OrangeScenario {
  const scenario = bySuffix.get(msisdn.slice(-3))
  return scenario === undefined || scenario.onlyByAmount ? OTHERWISE : scenario
}
