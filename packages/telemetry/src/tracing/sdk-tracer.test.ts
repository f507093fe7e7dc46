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

const parent = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' }

test('within: spans are children of the running span, also after a wait', async () => {
  const { tracer, ended } = traced()
  const request = tracer.start('request', 'server')
  await tracer.within(request, async () => {
    await turn()
    tracer.start('rail submit', 'client').end({ outcome: 'accepted' }, false)
  })
  request.end({ status: 502 }, true)

  const [call, whole] = ended()
  expect(whole?.spanContext()).toMatchObject({
    traceId: expect.stringMatching(/^[0-9a-f]{32}$/) as unknown,
    spanId: expect.stringMatching(/^[0-9a-f]{16}$/) as unknown,
  })
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
  expect(call?.spanContext().traceId).toBe(whole?.spanContext().traceId)
  expect(call).toMatchObject({
    name: 'rail submit',
    kind: SpanKind.CLIENT,
    parentSpanContext: { spanId: whole?.spanContext().spanId },
    attributes: { outcome: 'accepted' },
    status: { code: SpanStatusCode.UNSET },
  })
})

describe('start: with a traceparent', () => {
  test.each(['00', '01'])('begins a trace of its own that links to it, flags %s', (flags) => {
    const { tracer, ended } = traced(1)
    tracer.start('request', 'server', `00-${parent.traceId}-${parent.spanId}-${flags}`).end({}, false)
    const [span] = ended()
    expect(span).toMatchObject({ parentSpanContext: undefined, links: [{ context: parent }] })
    expect(span?.spanContext().traceId).not.toBe(parent.traceId)
  })

  // This ratio keeps no random trace id, but it would keep the second one here.
  test.each([parent.traceId, `${'0'.repeat(31)}1`])('samples by its own ratio: %s', (traceId) => {
    const { tracer, ended } = traced(1e-9)
    tracer.start('request', 'server', `00-${traceId}-${parent.spanId}-01`).end({}, false)
    expect(ended()).toEqual([])
  })

  test('links only the first span of the trace', () => {
    const { tracer, ended } = traced(1)
    const traceparent = `00-${parent.traceId}-${parent.spanId}-01`
    const request = tracer.start('request', 'server', traceparent)
    tracer.within(request, () => tracer.start('rail submit', 'client', traceparent).end({}, false))
    request.end({}, false)
    expect(ended()).toMatchObject([{ links: [] }, { links: [{ context: parent }] }])
  })

  test.each([
    '',
    'x',
    `01-${parent.traceId}-${parent.spanId}-01`,
    `00-${'0'.repeat(32)}-${parent.spanId}-01`,
    `00-${parent.traceId}-${'0'.repeat(16)}-01`,
    `00-${parent.traceId.toUpperCase()}-${parent.spanId}-01`,
    `00-${parent.traceId}-${parent.spanId}-01-more`,
  ])('links to nothing if it is ill-formed: "%s"', (traceparent) => {
    const { tracer, ended } = traced()
    tracer.start('request', 'server', traceparent).end({}, false)
    expect(ended()).toMatchObject([{ parentSpanContext: undefined, links: [] }])
  })
})

test('createTracer: keeps the configured share of traces', () => {
  const kept = (ratio: number) => {
    const { tracer, ended } = traced(ratio)
    for (let n = 0; n < 2_000; n += 1) tracer.start('request', 'server').end({}, false)
    return ended().length
  }
  expect([kept(0), kept(1)]).toEqual([0, 2_000])
  expect(kept(0.5)).toBeGreaterThan(800)
  expect(kept(0.5)).toBeLessThan(1_200)
})

test('within: an unsampled span has unsampled children', () => {
  const { tracer, ended } = traced(0)
  const request = tracer.start('request', 'server')
  tracer.within(request, () => tracer.start('rail submit', 'client').end({}, false))
  request.end({}, false)
  expect(ended()).toEqual([])
})
