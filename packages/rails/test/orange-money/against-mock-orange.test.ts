import type {
  MerchantId,
  PaymentIntentId,
  QueryOutcome,
  RailCode,
  SubmitOutcome,
} from '@merchant-payments/core'
import {
  DEFAULT_SETTINGS,
  type FaultInput,
  ORANGE_SCENARIOS,
  startMockRails,
} from '@merchant-payments/mock-rails'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createOrangeMoney, type OrangeMoneyConfig } from '../../src/index.ts'
import { evidence, NOW_MS } from '../operator.ts'

/** Longer than every delay of the mock, and than the life of a page. */
const LATER_MS = 11 * 60_000
/** Selects no scenario, so such an order waits for a payer at its page. */
const PLAIN_AMOUNT = 1000

const settings = { orange: { payerActsAfterMs: 0, notifications: 'off' } } as const
const mock = await startMockRails({ clock: () => NOW_MS, settings })
const { clientId, clientSecret, merchantKey } = DEFAULT_SETTINGS.orange
const config: OrangeMoneyConfig = {
  code: 'orange_money_cm' as RailCode,
  displayName: 'Orange Money',
  adapter: 'orange_money',
  settlementCurrency: 'XAF',
  baseUrl: mock.wireUrl,
  country: 'cm',
  clientId,
  clientSecret,
  merchantKey,
  lang: 'fr',
  totalTimeoutMs: 1_000,
  clock: () => NOW_MS,
}
const rail = createOrangeMoney(config)
beforeEach(() => mock.control.reset())
afterAll(async () => {
  await rail.close()
  await mock.stop()
})

/** The test's orders whose page we received. Nobody can have paid another one. */
const handedOut = new Set<string>()

async function expectNoOtherPaid(): Promise<void> {
  const { debits } = await mock.control.getLedger()
  const paid = debits.map(({ reference }) => reference)
  expect(new Set(paid).size).toBe(paid.length)
  expect(paid.filter((reference) => !handedOut.has(reference))).toEqual([])
  handedOut.clear()
}
afterEach(expectNoOtherPaid)

/** An order, and its page if the rail answered with one. */
function order(amountMinor = PLAIN_AMOUNT, adapter = rail) {
  const reference = adapter.mintReference()
  let page: { railToken: string | null; url: string | null } = { railToken: null, url: null }
  return {
    reference,
    submit: async () => {
      const outcome = await adapter.submitCharge({
        reference,
        merchantId: 'acme' as MerchantId,
        object: 'pi_1' as PaymentIntentId,
        amountMinor,
        currency: 'XAF',
        payer: null,
        locale: 'en',
        callbackUrl: `https://pay.example/provider/orange_money_cm/callback?ref=${reference}`,
        returnUrl: 'https://shop.example/back',
        deadlineMs: NOW_MS + 60_000,
      })
      if (outcome.kind === 'accepted') {
        page = { railToken: outcome.railToken, url: outcome.redirectUrl }
        handedOut.add(reference)
      }
      return outcome
    },
    query: () => adapter.queryCharge({ reference, amountMinor, currency: 'XAF', railToken: page.railToken }),
    /** Submits the payer's form on the page. */
    visit: (form: Record<string, string>) =>
      fetch(page.url ?? '', { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' }),
  }
}

const payWith = (suffix: string) => ({ msisdn: `690000${suffix}`, otp: '1234', decision: 'pay' })

const accepted: SubmitOutcome = {
  kind: 'accepted',
  railToken: expect.stringMatching(/^[\da-f]{64}$/) as string,
  callbackSecret: expect.stringMatching(/^[\da-f]{32}$/) as string,
  redirectUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/payment\/pay_token\//) as string,
}
const lost = (found: Parameters<typeof evidence>[0]): SubmitOutcome => ({
  kind: 'unknown',
  evidence: evidence(found),
})
const pending: QueryOutcome = { kind: 'pending' }
const succeeded: QueryOutcome = {
  kind: 'succeeded',
  railTxnId: expect.stringMatching(/^MP\d{6}\.\d{4}\.A\d{5}$/) as string,
  amountMinor: null,
  currency: null,
}
const declined: QueryOutcome = {
  kind: 'failed',
  decline: { code: 'declined', actor: 'rail', railCode: 'FAILED', railMessage: null },
}
const expired: QueryOutcome = {
  kind: 'failed',
  decline: { code: 'redirect_expired', actor: 'payer', railCode: 'EXPIRED', railMessage: null },
}
const strange: QueryOutcome = { kind: 'unknown_status', status: 'IN_RECONCILIATION' }
const unavailable = (found: Parameters<typeof evidence>[0]): QueryOutcome => ({
  kind: 'unavailable',
  evidence: evidence({ operation: 'query', ...found }),
})
/** Without its page's token, an order cannot be queried. */
const unaskable = unavailable({ errno: 'NO_PAY_TOKEN' })

/** The answers to the submit, to three queries at once, and to one after everything has ended. */
type Course = readonly [submit: SubmitOutcome, atOnce: QueryOutcome, later: QueryOutcome]

const courses: Record<string, Course> = {
  451: [accepted, pending, declined],
  452: [accepted, pending, expired],
  453: [accepted, pending, succeeded],
  454: [accepted, pending, pending],
  471: [accepted, pending, declined],
  472: [accepted, pending, declined],
  473: [accepted, pending, declined],
  474: [accepted, pending, declined],
  482: [lost({ errno: 'ECONNRESET' }), unaskable, unaskable],
  483: [lost({ httpStatus: 500, railCode: '1' }), unaskable, unaskable],
  484: [lost({ errno: 'ECONNRESET' }), unaskable, unaskable],
  486: [accepted, unavailable({ httpStatus: 500, railCode: '1' }), succeeded],
  487: [accepted, unavailable({ httpStatus: 404, railCode: '60' }), succeeded],
  488: [accepted, succeeded, succeeded],
  489: [accepted, pending, succeeded],
  491: [accepted, pending, succeeded],
  492: [accepted, pending, succeeded],
  493: [accepted, pending, succeeded],
  494: [accepted, strange, strange],
  496: [lost({ errno: 'TIMEOUT' }), unaskable, unaskable],
  497: [accepted, pending, pending],
  other: [accepted, pending, expired],
}

async function follow({ submit, query, visit }: ReturnType<typeof order>, form?: Record<string, string>) {
  const submitted = await submit()
  if (form !== undefined) await visit(form)
  const atOnce = [submitted, await query(), await query(), await query()]
  await mock.control.advanceClock(LATER_MS)
  return [...atOnce, await query()]
}

/** A scenario without a course matches nothing. */
function watched(course: Course | undefined) {
  if (course === undefined) return []
  const [submitted, atOnce, later] = course
  return [submitted, atOnce, atOnce, atOnce, later]
}

describe('every scenario that an amount selects', () => {
  test.each(ORANGE_SCENARIOS)('$suffix: $summary', async ({ suffix }) => {
    const amount = suffix === 'other' ? PLAIN_AMOUNT : Number(`10${suffix}`)
    expect(await follow(order(amount))).toEqual(watched(courses[suffix]))
  })
})

describe('every scenario that a payer’s number selects', () => {
  const ofNumbers = ORANGE_SCENARIOS.filter(({ onlyByAmount }) => onlyByAmount === undefined)

  test.each(ofNumbers)('$suffix: $summary', async ({ suffix }) => {
    const other: Course = [accepted, pending, succeeded]
    const course = suffix === 'other' ? other : courses[suffix]
    const number = suffix === 'other' ? '001' : suffix
    expect(await follow(order(), payWith(number))).toEqual(watched(course))
  })
})

describe('at the page', () => {
  test('a payer who refuses is sent back, and the order has failed', async () => {
    const { submit, visit, query } = order()
    await submit()
    const { status, headers } = await visit({ decision: 'refuse' })
    expect([status, headers.get('location')]).toEqual([303, 'https://shop.example/back'])
    expect(await query()).toEqual(declined)
  })

  test('a payer who left can come back and pay', async () => {
    const { submit, visit, query } = order()
    await submit()
    await mock.control.advanceClock(9 * 60_000)
    expect(await query()).toEqual(pending)
    await visit(payWith('001'))
    await mock.control.advanceClock(LATER_MS)
    expect(await query()).toEqual(succeeded)
  })

  test.each([
    ['492', declined],
    ['493', expired],
  ])('a failure can become a late success (%s)', async (suffix, bad) => {
    const { submit, visit, query } = order()
    await submit()
    await visit(payWith(suffix))
    await mock.control.advanceClock(2_000)
    expect(await query()).toEqual(bad)
    await mock.control.advanceClock(LATER_MS)
    expect(await query()).toEqual(succeeded)
  })
})

test('revoked tokens are minted again', async () => {
  const { submit, query } = order()
  expect(await submit()).toEqual(accepted)
  await mock.control.revokeTokens()
  expect(await query()).toEqual(pending)
})

test('one order_id is one order: a second submit proves nothing, and creates no second page', async () => {
  const { submit } = order()
  expect(await submit()).toEqual(accepted)
  expect(await submit()).toEqual(lost({ httpStatus: 400, railCode: '24' }))
  expect(await mock.control.listCharges()).toHaveLength(1)
})

test('the sandbox is paid in its own currency', async () => {
  const sandbox = createOrangeMoney({ ...config, country: 'dev' })
  expect(await order(PLAIN_AMOUNT, sandbox).submit()).toEqual(accepted)
  expect(await mock.control.listCharges()).toMatchObject([{ currency: 'OUV', environment: 'dev' }])
  await sandbox.close()
})

test('a wrong merchant key is a fault of the deployment, and creates no order', async () => {
  const stranger = createOrangeMoney({ ...config, merchantKey: 'of another' })
  expect(await order(PLAIN_AMOUNT, stranger).submit()).toMatchObject({
    kind: 'declined',
    decline: { code: 'rail_misconfigured', actor: 'merchant_config', railCode: '50' },
  })
  expect(await mock.control.listCharges()).toEqual([])
  await stranger.close()
})

describe('faults of the network', () => {
  const submit = 'orange_submit'
  const notSent = (found: Parameters<typeof evidence>[0]) => ({ kind: 'not_sent', evidence: evidence(found) })

  test.each<[string, FaultInput, object]>([
    ['a reset before', { operation: submit, kind: 'reset' }, lost({ errno: 'ECONNRESET' })],
    ['a reset after', { operation: submit, kind: 'reset', when: 'after' }, lost({ errno: 'ECONNRESET' })],
    ['a hang after', { operation: submit, kind: 'hang', when: 'after' }, lost({ errno: 'TIMEOUT' })],
    ['502 before', { operation: submit, kind: 'http', status: 502 }, lost({ httpStatus: 502 })],
    ['504 after', { operation: submit, kind: 'http', when: 'after', status: 504 }, lost({ httpStatus: 504 })],
    ['a page with 200', { operation: submit, kind: 'html', when: 'after' }, lost({ httpStatus: 200 })],
    ['a 201 cut short', { operation: submit, kind: 'truncated' }, lost({ httpStatus: 201 })],
    [
      'a proxy that repeats the request',
      { operation: submit, kind: 'resent' },
      lost({ httpStatus: 400, railCode: '24' }),
    ],
    [
      'throttled',
      { operation: submit, kind: 'throttled', retryAfterSec: 5 },
      notSent({ httpStatus: 429, railCode: '53' }),
    ],
    [
      'no login',
      { operation: 'orange_token', kind: 'http', status: 500 },
      notSent({ operation: 'token', httpStatus: 500 }),
    ],
  ])('%s', async (_case, fault, outcome) => {
    // The adapter gets a token here, unless the fault is for its login.
    await order().submit()
    if (fault.operation === 'orange_token') await mock.control.revokeTokens()
    await mock.control.addFault(fault)
    const { submit, query } = order()
    expect(await submit()).toEqual(outcome)
    expect(await query()).toEqual(unaskable)
  })

  test.each<[string, FaultInput, object]>([
    ['a reset', { operation: 'orange_status', kind: 'reset' }, { errno: 'ECONNRESET' }],
    ['502', { operation: 'orange_status', kind: 'http', status: 502 }, { httpStatus: 502 }],
    ['a page with 200', { operation: 'orange_status', kind: 'html' }, { httpStatus: 200 }],
    ['an answer cut short', { operation: 'orange_status', kind: 'truncated' }, { httpStatus: 201 }],
  ])('%s gives no information about a queried order', async (_case, fault, found) => {
    const { submit, query } = order()
    await submit()
    await mock.control.addFault(fault)
    expect(await query()).toEqual(unavailable(found))
    expect(await query()).toEqual(pending)
  })
})
