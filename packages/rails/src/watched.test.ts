import type {
  ChargeAtRail,
  Decline,
  MerchantId,
  Msisdn,
  QueryOutcome,
  RailAdapter,
  RailCode,
  RailEvidence,
  SubmitCharge,
  SubmitRefund,
} from '@merchant-payments/core'
import { createMetrics, noTracer } from '@merchant-payments/telemetry'
import { describe, expect, test } from 'vitest'
import { watchRails } from './watched.ts'

const code = 'rail' as RailCode
const charge: ChargeAtRail = { reference: 'r', railToken: null, amountMinor: 5, currency: 'XAF' }

const silent = { info: () => undefined, warn: () => undefined }

const railOf = (parts: Partial<RailAdapter>) =>
  ({ code, refunds: null, accountHolders: null, ...parts }) as RailAdapter

function metered(queryCharge: RailAdapter['queryCharge']) {
  let nowMs = 0
  const metrics = createMetrics()
  const slow = {
    queryCharge: async (asked: ChargeAtRail) => queryCharge(asked).finally(() => (nowMs += 300)),
  }
  const rails = watchRails(new Map([[code, railOf(slow)]]), {
    metrics,
    tracer: noTracer,
    clock: () => nowMs,
    log: silent,
  })
  return { rail: rails.get(code), text: () => metrics.render() }
}

test('each call to a rail is counted by its result, and timed', async () => {
  const { rail, text } = metered(async () => ({ kind: 'pending' }))
  expect(await rail?.queryCharge(charge)).toEqual({ kind: 'pending' })
  const lines = (await text()).split('\n')
  expect(lines).toContain('rail_requests_total{rail="rail",operation="query",outcome="pending"} 1')
  expect(lines).toContain('rail_request_duration_seconds_sum{rail="rail",operation="query"} 0.3')
})

test('a call that never left this process counts neither as a failure nor as a quick answer of the rail', async () => {
  const evidence = {
    operation: 'query',
    httpStatus: null,
    railCode: null,
    errno: 'QUEUE_FULL',
    elapsedMs: 0,
  } as const
  const { rail, text } = metered(async () => ({ kind: 'held_back', evidence }))
  await rail?.queryCharge(charge)
  const counted = /^rail_request.*rail="rail".* [^0]/
  expect((await text()).split('\n').filter((line) => counted.test(line))).toEqual([])
})

test('the failures of each operation that a rail has are shown at zero before the first call', async () => {
  const series = (
    (await metered(async () => ({ kind: 'pending' })).text()).match(/^rail_requests_total\{.* 0$/gm) ?? []
  ).map((line) => /operation="(\w+)",outcome="(\w+)"/.exec(line)?.slice(1).join(' '))
  expect(series).toEqual([
    'submit not_sent',
    'submit unknown',
    'submit misconfigured',
    'submit threw',
    'query unavailable',
    'query unknown_status',
    'query misconfigured',
    'query threw',
  ])
})

test('a call that throws is counted and rethrown', async () => {
  const { rail, text } = metered(() => Promise.reject(new TypeError('a bug')))
  await expect(rail?.queryCharge(charge)).rejects.toThrow('a bug')
  expect(await text()).toContain('rail_requests_total{rail="rail",operation="query",outcome="threw"} 1')
})

test('operations that a rail lacks stay absent', () => {
  const { rail } = metered(async () => ({ kind: 'pending' }))
  expect(rail).toMatchObject({ refunds: null, accountHolders: null })
})

test('refunds and name checks are counted too', async () => {
  const metrics = createMetrics()
  const rail = railOf({
    refunds: {
      dedupes: true,
      submitRefund: async () => ({ kind: 'accepted' }),
      queryRefund: async () => ({ kind: 'not_found' }),
    },
    accountHolders: { findAccountHolder: async () => ({ kind: 'not_found' }) },
  })
  const watch = { metrics, tracer: noTracer, clock: () => 0, log: silent }
  const metered = watchRails(new Map([[code, rail]]), watch).get(code)
  await metered?.refunds?.submitRefund({} as SubmitRefund)
  await metered?.refunds?.queryRefund('r')
  await metered?.accountHolders?.findAccountHolder({ merchantId: 'acme' as MerchantId, msisdn: '' as Msisdn })
  expect(metered?.refunds?.dedupes).toBe(true)
  const lines = (await metrics.render())
    .split('\n')
    .filter((line) => /^rail_requests_total\{.* 1$/.test(line))
  expect(lines.toSorted()).toEqual([
    'rail_requests_total{rail="rail",operation="lookup",outcome="not_found"} 1',
    'rail_requests_total{rail="rail",operation="query_refund",outcome="not_found"} 1',
    'rail_requests_total{rail="rail",operation="refund",outcome="accepted"} 1',
  ])
})

describe('a refusal that is ours to correct is counted as misconfigured', () => {
  const ours: Decline = {
    code: 'rail_misconfigured',
    actor: 'merchant_config',
    railCode: null,
    railMessage: null,
  }
  const payers: Decline = { ...ours, code: 'insufficient_funds', actor: 'payer' }

  async function counted(decline: Decline, asked = charge): Promise<string[]> {
    const metrics = createMetrics()
    const rail = railOf({
      submitCharge: async () => ({ kind: 'declined', decline }),
      queryCharge: async () => ({ kind: 'failed', decline }),
      refunds: {
        dedupes: true,
        submitRefund: async () => ({ kind: 'refusal_unconfirmed', decline }),
        queryRefund: async () => ({ kind: 'failed', decline }),
      },
    })
    const watch = { metrics, tracer: noTracer, clock: () => 0, log: silent }
    const watched = watchRails(new Map([[code, rail]]), watch).get(code)
    await watched?.submitCharge({} as SubmitCharge)
    await watched?.queryCharge(asked)
    await watched?.refunds?.submitRefund({} as SubmitRefund)
    await watched?.refunds?.queryRefund('r')
    const series = (await metrics.render()).matchAll(
      /^rail_requests_total\{rail="rail",operation="(\w+)",outcome="(\w+)"\} 1$/gm,
    )
    return Array.from(series, ([, operation, outcome]) => `${operation} ${outcome}`)
  }

  test('of a submit, a query and a payout', async () => {
    expect(await counted(ours)).toEqual([
      'submit misconfigured',
      'query misconfigured',
      'refund misconfigured',
      'query_refund misconfigured',
    ])
  })

  test('but not each time that a charge which has ended is queried', async () => {
    expect(await counted(ours, { ...charge, settledAtMs: 1 })).toContain('query failed')
  })

  test('but not a refusal of the payer', async () => {
    expect(await counted(payers)).toEqual([
      'submit declined',
      'query failed',
      'refund refusal_unconfirmed',
      'query_refund failed',
    ])
  })
})

test('the reference of an instruction is in the log before the rail gets it', async () => {
  const steps: unknown[] = []
  const rail = railOf({
    submitCharge: async () => {
      steps.push('submitted')
      return { kind: 'accepted', railToken: 'token', callbackSecret: 'secret', redirectUrl: null }
    },
    refunds: {
      dedupes: true,
      submitRefund: async () => {
        steps.push('refunded')
        return { kind: 'accepted' }
      },
      queryRefund: async () => ({ kind: 'not_found' }),
    },
  })
  const log = { info: (...line: unknown[]) => void steps.push(line) }
  const watch = { metrics: createMetrics(), tracer: noTracer, clock: () => 0, log: { ...silent, ...log } }
  const watched = watchRails(new Map([[code, rail]]), watch).get(code)
  const payer = '237670000001'
  const named = { reference: 'r-1', merchantId: 'acme', object: 'pi_1', payer, amountMinor: 5 }
  await watched?.submitCharge(named as unknown as SubmitCharge)
  await watched?.refunds?.submitRefund({
    ...named,
    reference: 'r-2',
    object: 're_1',
  } as unknown as SubmitRefund)
  const line = { merchant: 'acme', rail: code }
  expect(steps).toEqual([
    [{ ...line, object: 'pi_1', operation: 'submit', reference: 'r-1' }, 'rail instructed'],
    'submitted',
    [{ ...line, object: 're_1', operation: 'refund', reference: 'r-2' }, 'rail instructed'],
    'refunded',
  ])
})

describe('an outcome with evidence is in the log', () => {
  const refused: RailEvidence = {
    operation: 'token',
    httpStatus: 401,
    railCode: 'login_failed',
    errno: null,
    elapsedMs: 40,
  }

  function logged() {
    let nowMs = 0
    const lines: unknown[] = []
    let answer: QueryOutcome = { kind: 'unavailable', evidence: refused }
    const rail = railOf({
      queryCharge: async () => answer,
      submitCharge: async () => ({ kind: 'not_sent', evidence: refused }),
    })
    const log = { ...silent, warn: (...line: unknown[]) => void lines.push(line) }
    const watch = { metrics: createMetrics(), tracer: noTracer, clock: () => nowMs, log }
    const watched = watchRails(new Map([[code, rail]]), watch).get(code)
    const ask = async (next: QueryOutcome, atMs: number) => {
      answer = next
      nowMs = atMs
      await watched?.queryCharge(charge)
    }
    return { lines, ask, submit: () => watched?.submitCharge({} as SubmitCharge) }
  }
  const unavailable = (fields: Partial<RailEvidence> = {}): QueryOutcome => ({
    kind: 'unavailable',
    evidence: { ...refused, ...fields },
  })
  const line = {
    rail: code,
    operation: 'token',
    outcome: 'unavailable',
    status: 401,
    rail_code: 'login_failed',
    errno: null,
    duration_ms: 40,
  }
  const message = 'no usable answer of a rail'

  test('with all that is known of the exchange', async () => {
    const { lines, ask, submit } = logged()
    await ask(unavailable(), 0)
    await submit()
    expect(lines).toEqual([
      [line, message],
      [{ ...line, outcome: 'not_sent' }, message],
    ])
  })

  test('once a minute for each cause, however long the calls take', async () => {
    const { lines, ask } = logged()
    for (const atMs of [0, 1, 59_999, 60_000, 60_001]) await ask(unavailable({ elapsedMs: atMs }), atMs)
    expect(lines).toEqual([
      [{ ...line, duration_ms: 0 }, message],
      [{ ...line, duration_ms: 60_000 }, message],
    ])
    const fault = { operation: 'query', httpStatus: null, railCode: null, errno: 'ECONNRESET' } as const
    await ask(unavailable(fault), 60_002)
    expect(lines).toHaveLength(3)
  })

  test('for at most a hundred causes a minute', async () => {
    const { lines, ask } = logged()
    for (let n = 0; n < 300; n += 1) await ask(unavailable({ railCode: String(n) }), n)
    expect(lines).toHaveLength(100)
    await ask(unavailable({ railCode: 'next' }), 70_000)
    expect(lines).toHaveLength(101)
  })

  test('again after the clock was set back', async () => {
    const { lines, ask } = logged()
    await ask(unavailable(), 86_400_000)
    await ask(unavailable(), 0)
    expect(lines).toHaveLength(2)
  })

  test('but an outcome without evidence is not', async () => {
    const { lines, ask } = logged()
    await ask({ kind: 'pending' }, 0)
    expect(lines).toEqual([])
  })
})
