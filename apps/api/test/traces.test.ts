import { cloneDatabase } from '@merchant-payments/testing'
import { startCollector } from '@merchant-payments/testing/collector'
import { expect, onTestFinished, test } from 'vitest'
import { makeKey, startApi } from './api-process.ts'

async function collect() {
  const collector = await startCollector()
  onTestFinished(() => collector.stop())
  return collector
}

async function serve(tracing: object) {
  const { appUrl: url, drop } = await cloneDatabase()
  onTestFinished(drop)
  const api = await startApi(makeKey('only'), { database: { url }, ...tracing })
  const { address } = (await api.said('ready')) as unknown as { address: string }
  return { api, address }
}

test('a request is a span with its own id, linked to its traceparent, and a stop sends the remaining spans', async () => {
  const { bodies, endpoint } = await collect()
  const { api, address } = await serve({ tracing: { endpoint, sample_ratio: 1 } })
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
  const answer = await fetch(`${address}/v1/payment_intents/pi_canary?canary=1`, { headers: { traceparent } })
  api.kill('SIGTERM')
  expect((await api.ended).code).toBe(0)

  const requestHex = answer.headers.get('request-id')?.slice('req_'.length)
  const [resource] = bodies.flatMap(({ resourceSpans }) => resourceSpans)
  expect(resource?.resource).toEqual({
    attributes: [{ key: 'service.name', value: { stringValue: 'merchant-payments-api' } }],
    droppedAttributesCount: 0,
  })
  expect(resource?.scopeSpans.flatMap(({ spans }) => spans)).toEqual([
    {
      traceId: requestHex,
      spanId: requestHex?.slice(16),
      name: 'request',
      kind: 2,
      startTimeUnixNano: expect.stringMatching(/^\d{13}000000$/) as unknown,
      endTimeUnixNano: expect.stringMatching(/^\d{13}000000$/) as unknown,
      attributes: [
        { key: 'http.request.method', value: { stringValue: 'GET' } },
        { key: 'http.route', value: { stringValue: '/v1/payment_intents/:id' } },
        { key: 'http.response.status_code', value: { intValue: 401 } },
        { key: 'request.id', value: { stringValue: answer.headers.get('request-id') } },
      ],
      droppedAttributesCount: 0,
      events: [],
      droppedEventsCount: 0,
      status: { code: 0 },
      links: [
        {
          traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
          spanId: '00f067aa0ba902b7',
          attributes: [],
          droppedAttributesCount: 0,
          // Marked as remote, and not sampled.
          flags: 0x300,
        },
      ],
      droppedLinksCount: 0,
      // Marked as having no remote parent, and sampled.
      flags: 0x101,
    },
  ])
  expect(JSON.stringify(bodies)).not.toContain('canary')
})

test('a caller’s traceparent causes no sampling', async () => {
  const { bodies, endpoint } = await collect()
  const { api, address } = await serve({ tracing: { endpoint, sample_ratio: 0 } })
  for (const traceId of ['4bf92f3577b34da6a3ce929d0e0e4736', `${'a'.repeat(24)}00000000`]) {
    await fetch(`${address}/healthz`, { headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` } })
  }
  api.kill('SIGTERM')
  expect((await api.ended).code).toBe(0)
  expect(bodies).toEqual([])
})

test('an unavailable collector causes a log line, and no failed request', async () => {
  const { api, address } = await serve({ tracing: { endpoint: 'http://127.0.0.1:1', sample_ratio: 1 } })
  expect((await fetch(`${address}/healthz`)).status).toBe(200)
  expect(await api.said('spans lost')).toMatchObject({ level: 'warn', spans: 1 })
})
