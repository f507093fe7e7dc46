import { randomUUID } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace'
import { describe, expect, test } from 'vitest'
import { createTracer } from './sdk-tracer.ts'

function traced(sampleRatio = 1) {
  const exporter = new InMemorySpanExporter()
  let nowMs = 1_000
  const tracer = createTracer({
    service: 'test',
    sampleRatio,
    clock: () => (nowMs += 5),
    processor: new SimpleSpanProcessor({ exporter }),
  })
  return { tracer, ended: () => exporter.getFinishedSpans() }
}

const caller = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' }

const requestOf = (hex: string) => ({ traceId: hex, spanId: hex.slice(16), id: `req_${hex}` })
const random = () => requestOf(randomUUID().replaceAll('-', ''))
const [confirm, other] = [random(), random()]

test('within: spans are children of the running span, also after a wait', async () => {
  const { tracer, ended } = traced()
  const request = tracer.startRequest(confirm.id)
  await tracer.within(request, async () => {
    await turn()
    tracer.start('rail submit', 'client').end({ outcome: 'accepted' }, false)
  })
  request.end({ status: 502 }, true)

  const [call, whole] = ended()
  expect(whole?.spanContext()).toMatchObject({ traceId: confirm.traceId, spanId: confirm.spanId })
  expect(whole).toMatchObject({
    name: 'request',
    kind: SpanKind.SERVER,
    parentSpanContext: undefined,
    links: [],
    events: [],
    startTime: [1, 5_000_000],
    endTime: [1, 20_000_000],
    attributes: { status: 502 },
    status: { code: SpanStatusCode.ERROR },
  })
  expect(call?.spanContext().traceId).toBe(confirm.traceId)
  expect(call?.spanContext().spanId).not.toBe(confirm.spanId)
  expect(call).toMatchObject({
    name: 'rail submit',
    kind: SpanKind.CLIENT,
    parentSpanContext: { spanId: confirm.spanId },
    attributes: { outcome: 'accepted' },
    status: { code: SpanStatusCode.UNSET },
  })
})

describe('startRequest: with a traceparent', () => {
  test.each(['00', '01'])('begins a trace of its own that links to it, flags %s', (flags) => {
    const { tracer, ended } = traced(1)
    tracer.startRequest(confirm.id, `00-${caller.traceId}-${caller.spanId}-${flags}`).end({}, false)
    const [span] = ended()
    expect(span).toMatchObject({ parentSpanContext: undefined, links: [{ context: caller }] })
    expect(span?.spanContext().traceId).toBe(confirm.traceId)
  })

  // This ratio keeps no random trace id, but it would keep the second one here.
  test.each([caller.traceId, `${'0'.repeat(31)}1`])('samples by its own ratio: %s', (traceId) => {
    const { tracer, ended } = traced(1e-9)
    tracer.startRequest(confirm.id, `00-${traceId}-${caller.spanId}-01`).end({}, false)
    expect(ended()).toEqual([])
  })

  test('links only the first span of the trace', () => {
    const { tracer, ended } = traced(1)
    const request = tracer.startRequest(confirm.id, `00-${caller.traceId}-${caller.spanId}-01`)
    tracer.within(request, () => tracer.start('rail submit', 'client').end({}, false))
    request.end({}, false)
    expect(ended()).toMatchObject([{ links: [] }, { links: [{ context: caller }] }])
  })

  test.each([
    '',
    'x',
    `01-${caller.traceId}-${caller.spanId}-01`,
    `00-${'0'.repeat(32)}-${caller.spanId}-01`,
    `00-${caller.traceId}-${'0'.repeat(16)}-01`,
    `00-${caller.traceId.toUpperCase()}-${caller.spanId}-01`,
    `00-${caller.traceId}-${caller.spanId}-01-more`,
  ])('links to nothing if it is ill-formed: "%s"', (traceparent) => {
    const { tracer, ended } = traced()
    tracer.startRequest(confirm.id, traceparent).end({}, false)
    expect(ended()).toMatchObject([{ parentSpanContext: undefined, links: [] }])
  })
})

describe('forRequest', () => {
  test('in another process, spans are children of the request', () => {
    const { tracer, ended } = traced()
    tracer.forRequest(confirm.id, () => tracer.start('rail query', 'client').end({}, false))
    const [query] = ended()
    expect(query?.spanContext().traceId).toBe(confirm.traceId)
    expect(query).toMatchObject({
      parentSpanContext: { traceId: confirm.traceId, spanId: confirm.spanId, isRemote: true },
      links: [],
    })
  })

  test('spans link to the span of another trace that runs, and their own children do not', () => {
    const { tracer, ended } = traced()
    const batch = tracer.startBatch('settle charges', [confirm.id])
    tracer.within(batch, () =>
      tracer.forRequest(confirm.id, () => {
        const query = tracer.start('rail query', 'client')
        tracer.within(query, () => tracer.start('token', 'client').end({}, false))
        query.end({}, false)
      }),
    )
    batch.end({}, false)
    const [token, query, whole] = ended()
    expect(query?.links).toMatchObject([{ context: { spanId: whole?.spanContext().spanId } }])
    expect(token?.links).toEqual([])
    expect(token?.spanContext().traceId).toBe(confirm.traceId)
  })

  test('spans do not link to a span of the same trace', () => {
    const { tracer, ended } = traced()
    tracer.within(tracer.startRequest(confirm.id), () =>
      tracer.forRequest(confirm.id, () => tracer.start('rail query', 'client').end({}, false)),
    )
    expect(ended()).toMatchObject([{ links: [] }])
  })

  test.each([null, 'req_of_the_event', `req_${'0'.repeat(32)}`])(
    'without the id of a request, spans start traces of their own: %s',
    (requestId) => {
      const { tracer, ended } = traced()
      tracer.forRequest(requestId, () => tracer.start('webhook attempt', 'client').end({}, false))
      expect(ended()).toMatchObject([{ parentSpanContext: undefined, links: [] }])
    },
  )

  test('a span starts when its work did', () => {
    const { tracer, ended } = traced()
    tracer.forRequest(confirm.id, () => tracer.start('settle charge', 'internal', 400).end({}, false))
    expect(ended()).toMatchObject([
      { kind: SpanKind.INTERNAL, startTime: [0, 400_000_000], endTime: [1, 5_000_000] },
    ])
  })
})

describe('startBatch', () => {
  test('starts a trace of its own that links to each request once', () => {
    const { tracer, ended } = traced()
    tracer
      .startBatch('settle charges', [confirm.id, null, other.id, confirm.id, 'req_x'])
      .end({ items: 4 }, false)
    const [batch] = ended()
    expect(batch?.spanContext().traceId).not.toBe(confirm.traceId)
    expect(batch).toMatchObject({
      parentSpanContext: undefined,
      attributes: { items: 4 },
      links: [confirm, other].map(({ traceId, spanId }) => ({ context: { traceId, spanId } })),
    })
    expect(batch?.links).toHaveLength(2)
  })

  // A share of 0.6 keeps the first and not the second.
  const kept = requestOf(`${'0'.repeat(16)}80000000${'0'.repeat(8)}`)
  const lost = requestOf(`40000000${'0'.repeat(8)}80000000${'0'.repeat(8)}`)

  test('is recorded for the requests that are sampled', () => {
    const { tracer, ended } = traced(0.6)
    const batch = tracer.startBatch('settle charges', [kept.id, lost.id])
    tracer.within(batch, () => {
      for (const { id } of [kept, lost])
        tracer.forRequest(id, () => tracer.start('rail query', 'client').end({}, false))
    })
    batch.end({}, false)
    expect(ended()).toMatchObject([
      { name: 'rail query', parentSpanContext: { traceId: kept.traceId } },
      { name: 'settle charges', links: [{ context: { traceId: kept.traceId } }] },
    ])
  })

  test.each([[[lost.id]], [[null]], [[]]])('is not recorded without one: %s', (requestIds) => {
    const { tracer, ended } = traced(0.6)
    const batch = tracer.startBatch('settle charges', requestIds)
    tracer.within(batch, () =>
      tracer.forRequest(lost.id, () => tracer.start('rail query', 'client').end({}, false)),
    )
    batch.end({}, false)
    expect(ended()).toEqual([])
  })
})

test('two processes agree on the traces that they keep, about the configured share of them', () => {
  const [api, worker] = [traced(0.5), traced(0.5)]
  for (let n = 0; n < 2_000; n += 1) {
    const { id } = random()
    api.tracer.startRequest(id).end({}, false)
    worker.tracer.forRequest(id, () => worker.tracer.start('rail query', 'client').end({}, false))
  }
  const tracesOf = ({ ended }: typeof api) => ended().map((span) => span.spanContext().traceId)
  expect(tracesOf(worker)).toEqual(tracesOf(api))
  expect(tracesOf(api).length).toBeGreaterThan(800)
  expect(tracesOf(api).length).toBeLessThan(1_200)
})

test.each([0, 1])('createTracer: keeps the share %d exactly', (ratio) => {
  const { tracer, ended } = traced(ratio)
  for (let n = 0; n < 200; n += 1) tracer.startRequest(random().id).end({}, false)
  expect(ended()).toHaveLength(ratio * 200)
})

test('within: an unsampled span has unsampled children', () => {
  const { tracer, ended } = traced(0)
  const request = tracer.startRequest(confirm.id)
  tracer.within(request, () => tracer.start('rail submit', 'client').end({}, false))
  request.end({}, false)
  expect(ended()).toEqual([])
})
