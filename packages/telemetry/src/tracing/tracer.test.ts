import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createTracer, type EndedSpan } from './tracer.ts'

function traced(sampleRatio = 1) {
  const ended: EndedSpan[] = []
  let nowMs = 1_000
  const tracer = createTracer({ sampleRatio, clock: () => (nowMs += 5), onEnd: (span) => ended.push(span) })
  return { tracer, ended }
}

const parent = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' }

test('what is started within a span belongs to it, also after a wait', async () => {
  const { tracer, ended } = traced()
  const request = tracer.start('request', 'server')
  await tracer.within(request, async () => {
    await turn()
    tracer.start('rail submit', 'client').end({ outcome: 'accepted' }, false)
  })
  request.end({ status: 502 }, true)

  const [call, whole] = ended
  expect(whole).toEqual({
    name: 'request',
    kind: 'server',
    traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
    spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
    parentSpanId: null,
    link: null,
    startedAtMs: 1_005,
    endedAtMs: 1_020,
    attributes: { status: 502 },
    failed: true,
  })
  expect(call).toMatchObject({ traceId: whole?.traceId, parentSpanId: whole?.spanId, failed: false })
})

describe('a trace that began elsewhere', () => {
  test.each(['00', '01'])('is linked to, and decides no more, with the flags %s', (flags) => {
    const { tracer, ended } = traced(1)
    tracer.start('request', 'server', `00-${parent.traceId}-${parent.spanId}-${flags}`).end({}, false)
    expect(ended).toMatchObject([{ parentSpanId: null, link: parent }])
    expect(ended[0]?.traceId).not.toBe(parent.traceId)
  })

  // The trace id of the second would be in any share, by the rule for ids of our own.
  test.each([parent.traceId, `${'a'.repeat(24)}00000000`])('makes nobody sample it: %s', (traceId) => {
    const { tracer, ended } = traced(0)
    tracer.start('request', 'server', `00-${traceId}-${parent.spanId}-01`).end({}, false)
    expect(ended).toEqual([])
  })

  test('is linked to by the first span alone', () => {
    const { tracer, ended } = traced(1)
    const traceparent = `00-${parent.traceId}-${parent.spanId}-01`
    const request = tracer.start('request', 'server', traceparent)
    tracer.within(request, () => tracer.start('rail submit', 'client', traceparent).end({}, false))
    request.end({}, false)
    expect(ended.map(({ link }) => link)).toEqual([null, parent])
  })

  test.each([
    '',
    'x',
    `01-${parent.traceId}-${parent.spanId}-01`,
    `00-${'0'.repeat(32)}-${parent.spanId}-01`,
    `00-${parent.traceId}-${'0'.repeat(16)}-01`,
    `00-${parent.traceId.toUpperCase()}-${parent.spanId}-01`,
    `00-${parent.traceId}-${parent.spanId}-01-more`,
  ])('"%s" is none', (traceparent) => {
    const { tracer, ended } = traced()
    tracer.start('request', 'server', traceparent).end({}, false)
    expect(ended).toMatchObject([{ parentSpanId: null, link: null }])
  })
})

test('of the traces, the share that was asked for is kept', () => {
  const kept = (ratio: number) => {
    const { tracer, ended } = traced(ratio)
    for (let n = 0; n < 2_000; n += 1) tracer.start('request', 'server').end({}, false)
    return ended.length
  }
  expect([kept(0), kept(1)]).toEqual([0, 2_000])
  expect(kept(0.5)).toBeGreaterThan(800)
  expect(kept(0.5)).toBeLessThan(1_200)
})
