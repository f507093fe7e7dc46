import type { ChargeAtRail, RailAdapter, RailCode } from '@merchant-payments/core'
import { createMetrics } from '@merchant-payments/metrics'
import { noTracer } from '@merchant-payments/tracing'
import { expect, test } from 'vitest'
import { watchRails } from './watched.ts'

const code = 'rail' as RailCode
const charge: ChargeAtRail = { reference: 'r', railToken: null, amountMinor: 5, currency: 'XAF' }

function metered(queryCharge: RailAdapter['queryCharge']) {
  let nowMs = 0
  const metrics = createMetrics()
  const slow = {
    queryCharge: async (asked: ChargeAtRail) => queryCharge(asked).finally(() => (nowMs += 300)),
  }
  const rails = watchRails(new Map([[code, { code, ...slow } as RailAdapter]]), {
    metrics,
    tracer: noTracer,
    clock: () => nowMs,
  })
  return { rail: rails.get(code), text: () => metrics.render() }
}

test('each call to a rail is counted by what it came to, and timed', async () => {
  const { rail, text } = metered(async () => ({ kind: 'pending' }))
  expect(await rail?.queryCharge(charge)).toEqual({ kind: 'pending' })
  const lines = (await text()).split('\n')
  expect(lines).toContain('rail_requests_total{rail="rail",operation="query",outcome="pending"} 1')
  expect(lines).toContain('rail_request_duration_seconds_sum{rail="rail",operation="query"} 0.3')
})

test('an adapter that throws is counted too, and throws on', async () => {
  const { rail, text } = metered(() => Promise.reject(new TypeError('a bug')))
  await expect(rail?.queryCharge(charge)).rejects.toThrow('a bug')
  expect(await text()).toContain('rail_requests_total{rail="rail",operation="query",outcome="threw"} 1')
})

test('what a rail cannot do, it still cannot', () => {
  const { rail } = metered(async () => ({ kind: 'pending' }))
  for (const operation of ['refund', 'queryRefund', 'lookupAccountHolder']) {
    expect(rail).not.toHaveProperty(operation)
  }
})
