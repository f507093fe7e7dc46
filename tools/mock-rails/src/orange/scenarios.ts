/** Which setting says how long a step takes. */
type DelayName = 'decidesAfterMs' | 'ongoingAfterMs' | 'lateSuccessAfterMs'

/** Why a payment failed: for the control plane only, since Orange never tells its merchants. */
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
 * What becomes of a payment: chosen by the last three digits of the number that the payer types, or of the amount, as
 * if somebody with a number of that ending came and paid.
 */
export type OrangeScenario = {
  readonly suffix: string
  readonly summary: string
  /** From the payer's confirmation on; each delay starts at the step before. Without steps the payment stays PENDING. */
  readonly steps: readonly OrangeStep[]
  /** Concerns the submit, or that nobody pays: the payer's number comes too late to choose it. */
  readonly onlyByAmount?: true
  /** The submit is reset before the rail acts on it. */
  readonly neverAccepted?: true
  /** How an accepted submit is answered, where not by its 201. */
  readonly submitAnswer?: 'reset' | 'http_500' | 'hang'
  readonly neverExpires?: true
  /** Succeeds at once, and whoever caused it is answered after the notification. */
  readonly notifiesFirst?: true
  /** How the first QUERIES_SPOILED status queries after the choice are answered. */
  readonly firstQueries?: 'http_500' | 'not_found'
  /** What the status says instead of PENDING. */
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

/** What a number without a row of its own does; an amount without one waits for a payer at the page. */
export const OTHERWISE: OrangeScenario = {
  suffix: 'other',
  summary: 'SUCCESS; by amount: waits for a payer at the page, then EXPIRED',
  steps: success,
}

/** The endings of MTN's table where both rails know the case. None is a price: francs come in fives. */
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

/** Who pays where the control plane decides. */
export const ANY_PAYER = '237690000000'

/** Who pays where the amount chose the scenario. */
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
