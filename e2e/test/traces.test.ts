import { startStack } from '@merchant-payments/stack'
import { cloneDatabase } from '@merchant-payments/testing'
import { type CollectedSpan, startCollector } from '@merchant-payments/testing/collector'
import { beforeAll, describe, expect, test } from 'vitest'
import { untilDrained } from './drain.ts'
import { openMerchant } from './merchant.ts'

const PAYER = '237670000001'
const AMOUNT = 1_234_567
const [API, WORKER] = ['merchant-payments-api', 'merchant-payments-worker']

/** Pays once and refunds a part, whose first transfer is lost. Both servers stop, so that they send what they have. */
async function tradeWith(sampleRatio: number) {
  const collector = await startCollector()
  const database = await cloneDatabase()
  const stack = await startStack({
    databaseUrl: database.url,
    tracing: { endpoint: collector.endpoint, sampleRatio },
    mockRailsSettings: { mtn: { autoApproveAfterMs: 200 } },
  })
  try {
    const merchant = await openMerchant(stack)
    const paid = await merchant.pay(AMOUNT, PAYER)
    await stack.mockRails.control.addFault({ operation: 'transfer', kind: 'reset', when: 'after' })
    await merchant.refund(paid, 100, PAYER)
    await untilDrained(database.url)
    await Promise.all([stack.api.stop(), stack.worker.stop()])
    const received = stack.webhook?.receiver.received() ?? []
    const types = received.map(({ body }) => (JSON.parse(body) as { type: string }).type)
    return { spans: collector.spans(), types }
  } finally {
    await stack.stop()
    await database.drop()
    collector.stop()
  }
}

const attributesOf = ({ attributes }: CollectedSpan) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0] as unknown]))

const linksTo = (span: CollectedSpan, to: CollectedSpan): boolean =>
  span.links.some(({ traceId, spanId }) => traceId === to.traceId && spanId === to.spanId)

describe('every payment is sampled:', () => {
  let spans: CollectedSpan[]
  let types: string[]
  beforeAll(async () => {
    ;({ spans, types } = await tradeWith(1))
  })

  const ofRoute = (route: string): CollectedSpan => {
    const found = spans.filter((span) => attributesOf(span)['http.route'] === route)
    expect({ route, spans: found.length }).toEqual({ route, spans: 1 })
    return found[0] as CollectedSpan
  }
  const childrenOf = ({ traceId, spanId }: CollectedSpan) =>
    spans.filter((span) => span.traceId === traceId && span.parentSpanId === spanId)

  /** The only child of this name. */
  function childOf(parent: CollectedSpan, name: string): CollectedSpan {
    const found = childrenOf(parent).filter((span) => span.name === name)
    expect({ name, spans: found.length }).toEqual({ name, spans: 1 })
    return found[0] as CollectedSpan
  }

  test('the trace of a request has the id of the request', () => {
    const confirm = ofRoute('/v1/payment_intents/:id/confirm')
    const hex = String(attributesOf(confirm)['request.id']).slice('req_'.length)
    expect(confirm).toMatchObject({ service: API, traceId: hex, spanId: hex.slice(16), links: [] })
    expect(confirm.parentSpanId).toBeUndefined()
  })

  test('a confirm, its rail calls, its callback, its settlement and its webhooks are one trace', () => {
    const confirm = ofRoute('/v1/payment_intents/:id/confirm')
    expect(spans.filter(({ traceId }) => traceId === confirm.traceId)).toEqual(
      expect.arrayContaining([confirm, ...childrenOf(confirm)]),
    )
    expect(childOf(confirm, 'rail submit').service).toBe(API)
    expect(childOf(confirm, 'rail callback').service).toBe(API)
    const settled = childOf(confirm, 'settle charge')
    expect(settled.service).toBe(WORKER)
    expect(attributesOf(settled)).toEqual({ rail: 'mtn_momo_cm', status: 'succeeded' })
    // A query that finds the payment pending may come before the one that settles it.
    const queries = childrenOf(confirm).filter(({ name }) => name === 'rail query')
    expect(queries.map(attributesOf).at(-1)).toMatchObject({ outcome: 'succeeded' })
    const attempts = childrenOf(confirm).filter(({ name }) => name === 'webhook attempt')
    const others = ['payment_intent.created', 'charge.refunded', 'charge.refund.updated']
    expect(attempts).toHaveLength(types.filter((type) => !others.includes(type)).length)
    expect(attempts.length).toBeGreaterThan(0)
    expect(attempts.map(attributesOf)).toEqual(attempts.map(() => ({ result: 'succeeded', status: 200 })))
  })

  test('a callback links to the request that brought it', () => {
    const confirm = ofRoute('/v1/payment_intents/:id/confirm')
    const callbacks = spans.filter((span) => attributesOf(span)['http.route'] === '/provider/:code/callback')
    expect(callbacks.map(({ traceId }) => traceId)).not.toContain(confirm.traceId)
    const brought = childOf(confirm, 'rail callback')
    expect(callbacks.some((callback) => linksTo(brought, callback))).toBe(true)
  })

  test('a batch of the worker and the requests behind its items link to each other', () => {
    const confirm = ofRoute('/v1/payment_intents/:id/confirm')
    const batches = spans.filter(({ name }) => name === 'settle charges')
    expect(batches.filter((batch) => !linksTo(batch, confirm))).toEqual([])
    const served = childrenOf(confirm).filter(({ name }) => ['rail query', 'settle charge'].includes(name))
    expect(served.length).toBeGreaterThan(1)
    expect(served.filter((span) => !batches.some((batch) => linksTo(span, batch)))).toEqual([])
  })

  test('a refund and the query that the worker makes for it are one trace', () => {
    const refund = ofRoute('/v1/refunds')
    const query = childOf(refund, 'rail query_refund')
    const batch = spans.find(({ name }) => name === 'instruct refunds') as CollectedSpan
    expect(query.service).toBe(WORKER)
    expect([linksTo(query, batch), linksTo(batch, refund)]).toEqual([true, true])
  })

  test('no span quotes a number or an amount', () => {
    expect(spans.length).toBeGreaterThan(10)
    for (const canary of [PAYER, PAYER.slice(3), String(AMOUNT)]) {
      expect(JSON.stringify(spans.map(({ attributes }) => attributes))).not.toContain(canary)
    }
  })
})

test('neither server sends a span of a payment that is not sampled', async () => {
  const { spans, types } = await tradeWith(0)
  expect(types).toContain('payment_intent.succeeded')
  expect(spans).toEqual([])
})
