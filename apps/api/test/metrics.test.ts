import { cloneDatabase } from '@merchant-payments/testing'
import { setReadOnly } from '@merchant-payments/testing/operator'
import { expect, onTestFinished, test } from 'vitest'
import { makeKey, startApi } from './api-process.ts'

test('the API reports its requests, refusals and token requests on its own port, with closed sets of labels', async () => {
  const { appUrl: url, drop } = await cloneDatabase()
  onTestFinished(drop)
  const api = await startApi(makeKey('only'), { database: { url }, metrics: { port: 0 } })
  const { address, metrics } = (await api.said('ready')) as unknown as {
    address: string
    metrics: { port: number }
  }

  await fetch(`${address}/v1/payment_intents/pi_1?canary=1`)
  await fetch(`${address}/v1/payment_intents/pi_2`)
  await fetch(`${address}/canary`)
  const form = { grant_type: 'client_credentials', client_id: 'canary' }
  await fetch(`${address}/v1/oauth/token`, { method: 'POST', body: new URLSearchParams(form) })
  const response = await fetch(`http://127.0.0.1:${metrics.port}/metrics`)
  const text = await response.text()

  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const lines = text.split('\n')
  for (const line of [
    'http_server_request_duration_seconds_count{method="GET",route="/v1/payment_intents/:id",status="401"} 2',
    'http_server_request_duration_seconds_count{method="GET",route="none",status="404"} 1',
    'http_server_request_duration_seconds_count{method="POST",route="/v1/oauth/token",status="400"} 1',
    'http_refusals_total{code="authentication_error"} 2',
    'http_refusals_total{code="unknown_route"} 1',
    'oauth_tokens_total{result="invalid_request",reason=""} 1',
    'requests_running{surface="v1"} 0',
    'requests_waiting{surface="callback"} 0',
    'requests_shed_total{surface="v1"} 0',
    'alerts_total{alert="rail_misconfigured"} 0',
    'process_ready 1',
  ]) {
    expect(lines).toContain(line)
  }
  for (const quantile of ['0.99', '1']) {
    expect(text).toMatch(
      new RegExp(`^nodejs_eventloop_lag_seconds\\{quantile="${quantile}"\\} [\\d.e-]+$`, 'm'),
    )
  }
  expect(text).not.toContain('canary')
  expect((await fetch(`${address}/metrics`)).status).toBe(404)
})

test('an API whose database takes no writes is scraped, and says that it is not ready', async () => {
  const { url, appUrl, drop } = await cloneDatabase()
  onTestFinished(drop)
  const api = await startApi(makeKey('only'), { database: { url: appUrl }, metrics: { port: 0 } })
  const { metrics } = (await api.said('ready')) as unknown as { metrics: { port: number } }
  const ready = async () =>
    /^process_ready .*$/m.exec(await (await fetch(`http://127.0.0.1:${metrics.port}/metrics`)).text())?.[0]

  expect(await ready()).toBe('process_ready 1')
  await setReadOnly(url, 'on')
  await expect.poll(ready).toBe('process_ready 0')
})
