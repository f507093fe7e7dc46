import type {
  Decline,
  MerchantId,
  Msisdn,
  PaymentIntentId,
  QueryOutcome,
  RailCode,
  RailEvidence,
  RefundId,
  RefundOutcome,
  SubmitOutcome,
} from '@merchant-payments/core'
import {
  CHARGE_SCENARIOS,
  DEFAULT_SETTINGS,
  type FaultInput,
  startMockRails,
  TRANSFER_SCENARIOS,
} from '@merchant-payments/mock-rails'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createMtnMomo } from '../src/index.ts'

const NOW_MS = 1_790_000_000_000
/** Longer than every delay of the mock. */
const LATER_MS = 10 * 60_000

const mock = await startMockRails({ clock: () => NOW_MS })
const { apiUser, apiKey, collectionSubscriptionKeys, disbursementSubscriptionKeys } = DEFAULT_SETTINGS.mtn
const product = ([primary = '', secondary]: readonly string[]) =>
  ({ apiUser, apiKey, subscriptionKeys: [primary, secondary] }) as const
const rail = createMtnMomo({
  code: 'mtn_momo_cm' as RailCode,
  displayName: 'MTN Mobile Money',
  adapter: 'mtn_momo',
  settlementCurrency: 'XAF',
  wireCurrency: 'XAF',
  baseUrl: mock.wireUrl,
  targetEnvironment: 'mtncameroon',
  collection: product(collectionSubscriptionKeys),
  disbursement: product(disbursementSubscriptionKeys),
  totalTimeoutMs: 1_000,
  clock: () => NOW_MS,
})
beforeEach(() => mock.control.reset())
afterAll(async () => {
  await rail.close()
  await mock.stop()
})

/** Each payer is prompted once and pays at most once, in every scenario. */
async function expectOnePromptAndDebitEach(): Promise<void> {
  const prompted = (await mock.control.listPrompts()).map(({ reference }) => reference)
  const { debits } = await mock.control.getLedger()
  expect(new Set(prompted).size).toBe(prompted.length)
  expect(new Set(debits.map(({ reference }) => reference)).size).toBe(debits.length)
}
afterEach(expectOnePromptAndDebitEach)

const numberOf = (suffix: string) => `237670000${suffix === 'other' ? '001' : suffix}` as Msisdn

const evidence = (operation: RailEvidence['operation'], found: Partial<RailEvidence>): RailEvidence => ({
  operation,
  httpStatus: null,
  railCode: null,
  errno: null,
  elapsedMs: 0,
  ...found,
})

const failed = (
  code: Decline['code'],
  actor: Decline['actor'],
  railCode: string,
  railMessage: string | null = null,
): QueryOutcome => ({ kind: 'failed', decline: { code, actor, railCode, railMessage } })

const misconfigured = (railCode: string) => failed('rail_misconfigured', 'merchant_config', railCode)

const succeeded = (amountMinor = 1000): QueryOutcome => ({
  kind: 'succeeded',
  railTxnId: expect.stringMatching(/^\d+$/),
  amountMinor,
  currency: 'XAF',
})

const acceptedCharge: SubmitOutcome = {
  kind: 'accepted',
  railToken: null,
  callbackSecret: null,
  redirectUrl: null,
}
const acceptedRefund: RefundOutcome = { kind: 'accepted' }
const pending: QueryOutcome = { kind: 'pending' }
const notFound: QueryOutcome = { kind: 'not_found' }
const strange: QueryOutcome = { kind: 'unknown_status', status: 'AWAITING_AUTHORIZATION' }

/** The answers to the submit, to three queries at once, and to one after everything has ended. */
type Course = readonly [submit: SubmitOutcome | RefundOutcome, atOnce: QueryOutcome, later: QueryOutcome]

function commonCourses(purpose: 'charge' | 'refund'): Record<string, Course> {
  const isCharge = purpose === 'charge'
  const accepted = isCharge ? acceptedCharge : acceptedRefund
  const lost = (errno: string): RefundOutcome => ({
    kind: 'unknown',
    evidence: evidence(isCharge ? 'submit' : 'refund', { errno }),
  })
  const outage = { httpStatus: 500, railCode: 'INTERNAL_PROCESSING_ERROR' }
  // On a charge the payer pays; on a transfer the deployment's own account.
  const paying = (code: Decline['code'], railCode: string, message: string | null = null) =>
    isCharge
      ? failed(code, 'payer', railCode, message)
      : failed('rail_misconfigured', 'merchant_config', railCode, message)
  const named = `The payer does not have enough funds. (${numberOf('479')})`
  const limits = 'LOW_BALANCE_OR_PAYEE_LIMIT_REACHED_OR_NOT_ALLOWED'
  const asObject = ['PAYER_NOT_FOUND', 'Payer does not exist.'] as const
  return {
    450: [accepted, pending, failed('rail_processing_error', 'rail', 'INTERNAL_PROCESSING_ERROR')],
    451: [accepted, pending, failed('payer_declined', 'payer', 'APPROVAL_REJECTED')],
    452: [accepted, pending, failed('approval_timeout', 'payer', 'EXPIRED')],
    453: [accepted, pending, succeeded()],
    454: [accepted, pending, pending],
    464: [accepted, pending, failed('declined', 'rail', 'TRANSFER_TYPE_UNKNOWN')],
    470: [accepted, pending, paying('insufficient_funds', 'NOT_ENOUGH_FUNDS')],
    471: [accepted, pending, paying('insufficient_funds_or_limit', limits)],
    472: [accepted, pending, paying('payer_inactive', 'SENDER_ACCOUNT_NOT_ACTIVE')],
    473: [accepted, pending, paying('limit_reached', 'PAYER_LIMIT_REACHED')],
    474: [accepted, pending, failed('payer_declined', 'payer', 'TRANSACTION_CANCELED')],
    475: [accepted, strange, strange],
    476: [accepted, pending, paying('payer_not_found', ...asObject)],
    477: [accepted, pending, succeeded()],
    479: [accepted, pending, paying('insufficient_funds', 'NOT_ENOUGH_FUNDS', named)],
    480: [accepted, pending, succeeded()],
    481: [accepted, pending, succeeded(1001)],
    482: [lost('ECONNRESET'), pending, succeeded()],
    483: [accepted, pending, succeeded()],
    484: [lost('ECONNRESET'), notFound, notFound],
    485: [lost('TIMEOUT'), pending, succeeded()],
    486: [
      accepted,
      { kind: 'unavailable', evidence: evidence(isCharge ? 'query' : 'query_refund', outage) },
      succeeded(),
    ],
    487: [accepted, notFound, succeeded()],
    488: [accepted, succeeded(), succeeded()],
    489: [accepted, pending, succeeded()],
    other: [accepted, pending, succeeded()],
  }
}

const chargeCourses: Record<string, Course> = {
  ...commonCourses('charge'),
  '000': [acceptedCharge, pending, failed('approval_timeout', 'payer', 'COULD_NOT_PERFORM_TRANSACTION')],
  455: [acceptedCharge, pending, failed('payer_not_found', 'payer', 'PAYER_NOT_FOUND')],
  456: [acceptedCharge, pending, failed('payee_refused', 'merchant_config', 'PAYEE_NOT_ALLOWED_TO_RECEIVE')],
  457: [acceptedCharge, pending, misconfigured('NOT_ALLOWED')],
  458: [acceptedCharge, pending, misconfigured('NOT_ALLOWED_TARGET_ENVIRONMENT')],
  459: [acceptedCharge, pending, misconfigured('INVALID_CALLBACK_URL_HOST')],
  460: [acceptedCharge, pending, misconfigured('INVALID_CURRENCY')],
  461: [acceptedCharge, pending, failed('rail_processing_error', 'rail', 'INTERNAL_PROCESSING_ERROR')],
  462: [acceptedCharge, pending, failed('rail_unavailable', 'rail', 'SERVICE_UNAVAILABLE')],
  463: [acceptedCharge, pending, failed('approval_timeout', 'payer', 'COULD_NOT_PERFORM_TRANSACTION')],
}

const transferCourses: Record<string, Course> = {
  ...commonCourses('refund'),
  455: [acceptedRefund, pending, misconfigured('NOT_ENOUGH_FUNDS')],
  456: [acceptedRefund, pending, misconfigured('PAYER_LIMIT_REACHED')],
  457: [acceptedRefund, pending, failed('payee_refused', 'payer', 'PAYEE_NOT_FOUND')],
  458: [acceptedRefund, pending, misconfigured('NOT_ALLOWED')],
  459: [acceptedRefund, pending, misconfigured('NOT_ALLOWED_TARGET_ENVIRONMENT')],
  460: [acceptedRefund, pending, misconfigured('INVALID_CALLBACK_URL_HOST')],
  461: [acceptedRefund, pending, misconfigured('INVALID_CURRENCY')],
  462: [acceptedRefund, pending, failed('rail_processing_error', 'rail', 'INTERNAL_PROCESSING_ERROR')],
  463: [acceptedRefund, pending, failed('rail_unavailable', 'rail', 'SERVICE_UNAVAILABLE')],
}

const amount = { amountMinor: 1000, currency: 'XAF' } as const
const deadlineMs = NOW_MS + 60_000
const merchantId = 'acme' as MerchantId

function charge(suffix: string) {
  const reference = rail.mintReference()
  const object = 'pi_1' as PaymentIntentId
  const payer = { payer: numberOf(suffix), locale: 'fr' } as const
  const submitted = { reference, merchantId, object, ...amount, ...payer, deadlineMs }
  return {
    submit: () => rail.submitCharge({ ...submitted, callbackUrl: null, returnUrl: null }),
    query: () => rail.queryCharge({ reference, ...amount, railToken: null }),
  }
}

function refund(suffix: string) {
  const reference = rail.mintReference()
  const named = { reference, merchantId, object: 're_1' as RefundId }
  return {
    submit: async () =>
      rail.refunds?.submitRefund({ ...named, ...amount, destination: numberOf(suffix), deadlineMs }),
    query: async () => rail.refunds?.queryRefund(reference),
  }
}

async function follow({ submit, query }: ReturnType<typeof charge | typeof refund>) {
  const atOnce = [await submit(), await query(), await query(), await query()]
  await mock.control.advanceClock(LATER_MS)
  return [...atOnce, await query()]
}

/** A scenario without a course matches nothing. */
function watched(course: Course | undefined) {
  if (course === undefined) return []
  const [submitted, atOnce, later] = course
  return [submitted, atOnce, atOnce, atOnce, later]
}

describe('every scenario of a request to pay', () => {
  test.each(CHARGE_SCENARIOS)('$suffix: $summary', async ({ suffix }) => {
    expect(await follow(charge(suffix))).toEqual(watched(chargeCourses[suffix]))
  })
})

describe('every scenario of a transfer', () => {
  test.each(TRANSFER_SCENARIOS)('$suffix: $summary', async ({ suffix }) => {
    expect(await follow(refund(suffix))).toEqual(watched(transferCourses[suffix]))
  })
})

describe('a refusal in the answer to the submit', () => {
  type Answered = readonly [suffix: string, outcome: object]
  const lost = (operation: RailEvidence['operation'], httpStatus: number, railCode: string) => ({
    kind: 'unknown',
    evidence: evidence(operation, { httpStatus, railCode }),
  })
  const declined = (code: Decline['code'], actor: Decline['actor'], railCode: string) => ({
    kind: 'declined',
    decline: { code, actor, railCode, railMessage: expect.any(String) },
  })
  const setup = (railCode: string) => declined('rail_misconfigured', 'merchant_config', railCode)
  const inDoubt = (refusal: object) => ({ ...refusal, kind: 'refusal_unconfirmed' })

  test.each<Answered>([
    ['455', declined('payer_not_found', 'payer', 'PAYER_NOT_FOUND')],
    ['456', declined('payee_refused', 'merchant_config', 'PAYEE_NOT_ALLOWED_TO_RECEIVE')],
    ['457', setup('NOT_ALLOWED')],
    ['458', setup('NOT_ALLOWED_TARGET_ENVIRONMENT')],
    ['459', setup('INVALID_CALLBACK_URL_HOST')],
    ['460', setup('INVALID_CURRENCY')],
    ['461', lost('submit', 500, 'INTERNAL_PROCESSING_ERROR')],
    ['462', lost('submit', 503, 'SERVICE_UNAVAILABLE')],
  ])('of a charge: %s', async (suffix, outcome) => {
    await mock.control.updateSettings({ mtn: { refusalsAt: 'submit' } })
    const { submit, query } = charge(suffix)
    expect(await submit()).toEqual(outcome)
    expect(await query()).toEqual(notFound)
  })

  test.each<Answered>([
    ['455', inDoubt(setup('NOT_ENOUGH_FUNDS'))],
    ['456', inDoubt(setup('PAYER_LIMIT_REACHED'))],
    ['457', inDoubt(declined('payee_refused', 'payer', 'PAYEE_NOT_FOUND'))],
    ['458', inDoubt(setup('NOT_ALLOWED'))],
    ['459', inDoubt(setup('NOT_ALLOWED_TARGET_ENVIRONMENT'))],
    ['460', inDoubt(setup('INVALID_CALLBACK_URL_HOST'))],
    ['461', inDoubt(setup('INVALID_CURRENCY'))],
    ['462', lost('refund', 500, 'INTERNAL_PROCESSING_ERROR')],
    ['463', lost('refund', 503, 'SERVICE_UNAVAILABLE')],
  ])('of a transfer: %s', async (suffix, outcome) => {
    await mock.control.updateSettings({ mtn: { refusalsAt: 'submit' } })
    const { submit, query } = refund(suffix)
    expect(await submit()).toEqual(outcome)
    expect(await query()).toEqual(notFound)
  })
})

test('a failure can become a late success', async () => {
  const { submit, query } = charge('480')
  await submit()
  await mock.control.advanceClock(2_000)
  expect(await query()).toEqual(failed('approval_timeout', 'payer', 'COULD_NOT_PERFORM_TRANSACTION'))
  await mock.control.advanceClock(LATER_MS)
  expect(await query()).toEqual(succeeded())
})

test('revoked tokens are minted again', async () => {
  const { submit, query } = charge('other')
  expect(await submit()).toEqual(acceptedCharge)
  await mock.control.revokeTokens()
  expect(await query()).toEqual(pending)
})

test('the same charge submitted twice is one charge', async () => {
  const { submit } = charge('other')
  expect([await submit(), await submit()]).toEqual([acceptedCharge, acceptedCharge])
  expect(await mock.control.listPrompts()).toHaveLength(1)
})

test('the same refund submitted again credits its payee once, whether or not its first answer was lost', async () => {
  await mock.control.addFault({ operation: 'transfer', kind: 'reset', when: 'after' })
  await mock.control.addFault({ operation: 'transfer', kind: 'resent' })
  const { submit } = refund('other')
  expect([await submit(), await submit(), await submit()].map((outcome) => outcome?.kind)).toEqual([
    'unknown',
    'accepted',
    'accepted',
  ])
  await mock.control.advanceClock(LATER_MS)
  expect((await mock.control.getLedger()).credits).toHaveLength(1)
})

describe('faults of the network', () => {
  const unknown = (found: Partial<RailEvidence>) => ({ kind: 'unknown', evidence: evidence('submit', found) })
  const notSent = (found: Partial<RailEvidence>) => ({
    kind: 'not_sent',
    evidence: evidence('submit', found),
  })

  test.each<[string, FaultInput, object, QueryOutcome]>([
    ['a reset before', { operation: 'submit', kind: 'reset' }, unknown({ errno: 'ECONNRESET' }), notFound],
    [
      'a reset after',
      { operation: 'submit', kind: 'reset', when: 'after' },
      unknown({ errno: 'ECONNRESET' }),
      pending,
    ],
    [
      'a hang after',
      { operation: 'submit', kind: 'hang', when: 'after' },
      unknown({ errno: 'TIMEOUT' }),
      pending,
    ],
    [
      '502 before',
      { operation: 'submit', kind: 'http', status: 502 },
      unknown({ httpStatus: 502 }),
      notFound,
    ],
    ['504 after', { operation: 'submit', kind: 'http', when: 'after', status: 504 }, acceptedCharge, pending],
    [
      'a page with 200',
      { operation: 'submit', kind: 'html', when: 'after' },
      unknown({ httpStatus: 200 }),
      pending,
    ],
    ['a 202 cut short', { operation: 'submit', kind: 'truncated' }, acceptedCharge, pending],
    ['a proxy that repeats the request', { operation: 'submit', kind: 'resent' }, acceptedCharge, pending],
    [
      'throttled',
      { operation: 'submit', kind: 'throttled', retryAfterSec: 5 },
      notSent({ httpStatus: 429 }),
      notFound,
    ],
    [
      'no login',
      { operation: 'token', kind: 'http', status: 500 },
      { kind: 'not_sent', evidence: evidence('token', { httpStatus: 500 }) },
      notFound,
    ],
  ])('%s', async (_case, fault, outcome, found) => {
    // The adapter gets a token here, unless the fault is for its login.
    await charge('other').query()
    if (fault.operation === 'token') await mock.control.revokeTokens()
    await mock.control.addFault(fault)
    const { submit, query } = charge('other')
    expect(await submit()).toEqual(outcome)
    expect(await query()).toEqual(found)
  })
})

describe('account holders', () => {
  const unavailable = (httpStatus: number, railCode: string) => ({
    kind: 'unavailable',
    evidence: evidence('lookup', { httpStatus, railCode }),
  })

  test.each([
    ['450', notFound],
    ['451', { kind: 'found', name: 'Sand Box', active: false }],
    ['452', unavailable(500, 'NOT_ALLOWED')],
    ['453', unavailable(500, 'NOT_ALLOWED_TARGET_ENVIRONMENT')],
    ['454', unavailable(500, 'INTERNAL_PROCESSING_ERROR')],
    ['455', unavailable(503, 'SERVICE_UNAVAILABLE')],
    ['other', { kind: 'found', name: 'Sand Box', active: true }],
  ])('%s', async (suffix, outcome) => {
    expect(
      await rail.accountHolders?.findAccountHolder({
        merchantId: 'acme' as MerchantId,
        msisdn: numberOf(suffix),
      }),
    ).toEqual(outcome)
  })
})
