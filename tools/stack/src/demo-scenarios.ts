/** An outcome of a payment, as reported by webhook and by GET. */
export interface Outcome {
  readonly event: string
  readonly status: string
  /** The code of last_payment_error; null if it must be absent. */
  readonly errorCode: string | null
}

export interface Scenario {
  readonly title: string
  /** The last three digits tell the mock rail what the payer does. */
  readonly msisdn: string
  /** In order; the last one is final. */
  readonly outcomes: readonly Outcome[]
  readonly refund?: true
}

/** Spec 6.1. */
export const REFUND_EVENT = 'charge.refunded'

export const eventsOf = ({ outcomes, refund }: Scenario): string[] => [
  ...outcomes.map(({ event }) => event),
  ...(refund ? [REFUND_EVENT] : []),
]

const paid: Outcome = { event: 'payment_intent.succeeded', status: 'succeeded', errorCode: null }

// Spec 3.1: there is no failed status, because a refused payment can be tried again.
const refused = (errorCode: string): Outcome => ({
  event: 'payment_intent.payment_failed',
  status: 'requires_payment_method',
  errorCode,
})

export const scenarios: readonly Scenario[] = [
  { title: 'the payer approves', msisdn: '237670000001', outcomes: [paid] },
  {
    title: 'the payer has too little money',
    msisdn: '237670000470',
    outcomes: [refused('insufficient_funds')],
  },
  // Spec 1.5: a late success is an ordinary payment_intent.succeeded.
  {
    title: 'the payer approves after the rail gave up',
    msisdn: '237670000480',
    outcomes: [refused('approval_timeout'), paid],
  },
  {
    title: 'the payer approves, and the shop gives the money back',
    msisdn: '237670000002',
    outcomes: [paid],
    refund: true,
  },
]
