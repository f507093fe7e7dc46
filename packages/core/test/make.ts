import { randomUUID } from 'node:crypto'
import type { IntentStatus, InvoiceStatus, RefundStatus, SessionStatus } from '@merchant-payments/contract'
import type { ChargeStatus } from '@merchant-payments/db'
import { type Raised, raisedOf } from '../src/base/raised.ts'
import type { Charge } from '../src/charges/charge.ts'
import type { Attempt } from '../src/deliveries/store.ts'
import type { Session } from '../src/checkout-sessions/session.ts'
import { type MerchantId, mintId } from '../src/base/ids.ts'
import type { Invoice } from '../src/invoices/invoice.ts'
import type { Intent, PaymentError } from '../src/payment-intents/intent.ts'
import { storedMsisdn } from '../src/base/phone.ts'
import type {
  ChargeAtRail,
  Decline,
  HeldBack,
  QueryAnswer,
  QueryOutcome,
  RailAdapter,
  RailCapabilities,
  RailCode,
  RailRefunds,
  RefundOutcome,
  SubmitCharge,
  SubmitOutcome,
  SubmitRefund,
} from '../src/rails/port.ts'
import type { Refund } from '../src/refunds/refund.ts'
import { clientSecretsOf } from '../src/base/secrets.ts'

export const T0 = Date.UTC(2026, 10, 21, 12)
export const ACME = 'acme' as MerchantId
export const PUSH = 'push_rail' as RailCode
export const REDIRECT = 'redirect_rail' as RailCode
export const PAYER = storedMsisdn('237677000001')

/** A request for a payment of nobody in particular. */
export const wantedIntent = {
  amountMinor: 1_000,
  currency: 'XAF',
  paymentMethodTypes: [PUSH],
  customer: null,
  description: null,
  metadata: {},
} as const

/** A request for a page that mints its intent. */
export const wantedSession = {
  ...wantedIntent,
  paymentIntent: null,
  uiMode: 'embedded',
  successUrl: null,
  cancelUrl: null,
  returnUrl: null,
  clientReferenceId: null,
  expiresAtSec: null,
  locale: null,
} as const

/** The filter of staff's payments that leaves none out. */
export const anyIntent = {
  status: null,
  rail: null,
  customerId: null,
  phone: null,
  amount: null,
  currency: null,
  charge: null,
  decline: null,
  metadata: null,
} as const

export const declined: Decline = {
  code: 'insufficient_funds',
  actor: 'payer',
  railCode: 'NOT_ENOUGH_FUNDS',
  railMessage: 'Not enough funds',
}

/** `declined` in the form in which an intent shows it. */
export const refusal: PaymentError = {
  code: 'insufficient_funds',
  declineCode: 'NOT_ENOUGH_FUNDS',
  message: 'Not enough funds',
  rail: PUSH,
}

export const accepted: SubmitOutcome = {
  kind: 'accepted',
  railToken: null,
  callbackSecret: null,
  redirectUrl: null,
}

const evidence = { operation: 'submit', httpStatus: 503, railCode: null, errno: null, elapsedMs: 12 } as const
export const notSent: SubmitOutcome = { kind: 'not_sent', evidence }
export const unknown: SubmitOutcome = { kind: 'unknown', evidence }
export const unavailable: QueryAnswer = {
  kind: 'unavailable',
  evidence: { ...evidence, operation: 'query' },
}
export const heldBack: HeldBack = {
  kind: 'held_back',
  evidence: { ...evidence, httpStatus: null, errno: 'QUEUE_FULL' },
}
export const paid = {
  kind: 'succeeded',
  railTxnId: 'txn-1',
  amountMinor: 1000,
  currency: 'XAF',
} as const satisfies QueryOutcome

const traces = {
  requires_payment_method: {},
  processing: {},
  succeeded: {},
  canceled: { canceledAtMs: T0, cancellationReason: 'abandoned' },
} as const satisfies Record<IntentStatus, Partial<Intent>>

export const clientSecrets = clientSecretsOf([{ version: 1, key: 'k'.repeat(32) }])

/** An intent in this state, with the fields that the state implies. */
export function makeIntent<S extends IntentStatus>(status: S, fields: Partial<Intent> = {}): Intent<S> {
  const id = mintId('pi', T0)
  const intent = {
    merchantId: ACME,
    id,
    amountMinor: 1000,
    currency: 'XAF',
    paymentMethodTypes: [PUSH, REDIRECT],
    customerId: null,
    description: null,
    metadata: { order: '42' },
    storedSecret: null,
    livemode: false,
    invoiceId: null,
    lastPaymentError: null,
    redirectUrl: null,
    returnUrl: null,
    canceledAtMs: null,
    cancellationReason: null,
    revision: 3,
    ...traces[status],
    ...fields,
    status,
  }
  return intent as Intent as Intent<S>
}

/** A session of an intent, in this state. It lasts an hour from T0. */
export function makeSession<S extends SessionStatus>(
  intent: Intent,
  status: S,
  fields: Partial<Session> = {},
): Session<S> {
  const id = mintId('cs', T0)
  const session = {
    merchantId: intent.merchantId,
    id,
    intentId: intent.id,
    paymentStatus: status === 'complete' ? 'paid' : 'unpaid',
    amountMinor: intent.amountMinor,
    currency: intent.currency,
    paymentMethodTypes: intent.paymentMethodTypes,
    customerId: intent.customerId,
    storedSecret: null,
    uiMode: 'hosted',
    successUrl: 'https://shop.example/thanks',
    cancelUrl: null,
    returnUrl: null,
    clientReferenceId: null,
    locale: null,
    metadata: {},
    livemode: false,
    expiresAtMs: T0 + 3_600_000,
    revision: 0,
    ...fields,
    status,
  }
  return session as Session as Session<S>
}

const billedAs = {
  draft: { number: null, finalizedAtMs: null },
  open: {},
  paid: { paidAtMs: T0 },
  void: { voidedAtMs: T0 },
  uncollectible: { markedUncollectibleAtMs: T0 },
} as const satisfies Record<InvoiceStatus, Partial<Invoice>>

let numbers = 0

/** An invoice in this state, with the fields that the state implies. */
export function makeInvoice<S extends InvoiceStatus>(status: S, fields: Partial<Invoice> = {}): Invoice<S> {
  const invoice = {
    merchantId: ACME,
    id: mintId('in', T0),
    number: (numbers += 1),
    customerId: mintId('cus', T0),
    currency: 'XAF',
    totalMinor: 1000,
    lineCount: 1,
    description: null,
    dueAtMs: null,
    intentId: null,
    paymentMethodTypes: [],
    metadata: {},
    livemode: false,
    finalizedAtMs: T0,
    paidAtMs: null,
    voidedAtMs: null,
    markedUncollectibleAtMs: null,
    revision: 7,
    ...billedAs[status],
    ...fields,
    status,
  }
  return invoice as Invoice as Invoice<S>
}

/** A charge in this state, opened at T0. Its submit's deadline is seven seconds later. */
export function makeCharge<S extends ChargeStatus>(status: S, fields: Partial<Charge> = {}): Charge<S> {
  const settled = status !== 'submitting' && status !== 'live' && status !== 'unconfirmed'
  const charge = {
    merchantId: ACME,
    id: mintId('ch', T0),
    intentId: mintId('pi', T0),
    rail: PUSH,
    amountMinor: 1000,
    currency: 'XAF',
    customerId: null,
    reference: randomUUID(),
    railToken: null,
    callbackSecret: null,
    railTxnId: status === 'succeeded' || status === 'duplicate' ? 'txn-0' : null,
    railCode: null,
    railMessage: null,
    openedAtMs: T0,
    submitDeadlineMs: T0 + 7_000,
    acknowledgedAtMs: status === 'live' ? T0 : null,
    settledAtMs: settled ? T0 : null,
    nextQueryAtMs: status === 'succeeded' || status === 'duplicate' ? null : T0 + 8_000,
    queryRung: 0,
    lastQueryAtMs: null,
    notFoundCount: 0,
    report: null,
    ruling: null,
    requestId: null,
    revision: 5,
    ...fields,
    status,
  }
  return charge as Charge as Charge<S>
}

const marks = {
  requires_action: { instruction: 'unsent' },
  pending: {},
  failed: { instruction: 'refused', destination: null, failureReason: 'declined' },
  canceled: { instruction: 'unsent', destination: null },
} as const satisfies Record<RefundStatus, Partial<Refund>>

/** A refund in this state, created at T0 and perhaps sent. The deadline of its try is seven seconds later. */
export function makeRefund<S extends RefundStatus>(status: S, fields: Partial<Refund> = {}): Refund<S> {
  const refund = {
    merchantId: ACME,
    id: mintId('re', T0),
    intentId: mintId('pi', T0),
    amountMinor: 400,
    currency: 'XAF',
    customerId: null,
    reason: null,
    failureReason: null,
    metadata: { ticket: '4711' },
    livemode: false,
    openedAtMs: T0,
    rail: PUSH,
    reference: randomUUID(),
    instruction: 'sent',
    destination: PAYER,
    submitDeadlineMs: T0 + 7_000,
    refusal: null,
    railCode: null,
    railMessage: null,
    revision: 0,
    ...marks[status],
    ...fields,
    status,
  }
  return refund as Refund as Refund<S>
}

/** A rail that answers as the test says, and records its calls. */
export interface TestRail extends RailAdapter {
  readonly submitted: SubmitCharge[]
  readonly asked: ChargeAtRail[]
  whenSubmitted: (charge: SubmitCharge) => SubmitOutcome | Promise<SubmitOutcome>
  whenAsked: (charge: ChargeAtRail) => QueryOutcome | Promise<QueryOutcome>
  refunds: RailRefunds | null
}

const push: RailCapabilities = {
  flow: 'push',
  settlementCurrency: 'XAF',
  instrument: 'msisdn',
  lostSubmitIsHarmless: false,
  queriedBy: 'reference',
  approvalWindowMs: 300_000,
  firstQueryAfterMs: 3_000,
}
const redirect: RailCapabilities = {
  ...push,
  flow: 'redirect',
  instrument: 'none',
  lostSubmitIsHarmless: true,
  queriedBy: 'token',
  approvalWindowMs: 600_000,
}

export function makeRail(code: RailCode, capabilities: Partial<RailCapabilities> = {}): TestRail {
  const rail: TestRail = {
    code,
    displayName: code,
    capabilities: { ...(code === REDIRECT ? redirect : push), ...capabilities },
    submitTimeoutMs: 2_000,
    callbacks: true,
    submitted: [],
    asked: [],
    whenSubmitted: () => accepted,
    whenAsked: () => ({ kind: 'pending' }),
    mintReference: () => randomUUID(),
    async submitCharge(charge) {
      rail.submitted.push(charge)
      return rail.whenSubmitted(charge)
    },
    async queryCharge(charge) {
      rail.asked.push(charge)
      return rail.whenAsked(charge)
    },
    refunds: null,
    accountHolders: null,
    parseCallbackQuery: () => null,
    parseCallbackBody: () => null,
    close: () => Promise.resolve(),
  }
  return rail
}

/** Refunds of a `TestRail`. */
export interface TestRefunds extends RailRefunds {
  dedupes: boolean
  readonly sent: SubmitRefund[]
  /** References. */
  readonly asked: string[]
  whenSent: (refund: SubmitRefund) => RefundOutcome | Promise<RefundOutcome>
  whenAsked: (reference: string) => QueryOutcome | Promise<QueryOutcome>
}

export function makeRefunds(): TestRefunds {
  const refunds: TestRefunds = {
    dedupes: true,
    sent: [],
    asked: [],
    whenSent: () => ({ kind: 'accepted' }),
    whenAsked: () => ({ kind: 'not_found' }),
    async submitRefund(refund) {
      refunds.sent.push(refund)
      return refunds.whenSent(refund)
    },
    async queryRefund(reference) {
      refunds.asked.push(reference)
      return refunds.whenAsked(reference)
    },
  }
  return refunds
}

/** The alert of a delivery that this attempt exhausts. */
export const exhausted = ({ job: { deliveryId, merchantId } }: Attempt): Raised =>
  raisedOf('webhook_exhausted', { delivery: deliveryId, merchant: merchantId }, merchantId)
