import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { PUSH_RAIL, startTestApi } from './harness.ts'
import { leaveDuring } from './raw.ts'
import { confirmForm, createIntent } from './steps.ts'

const lines: Record<string, unknown>[] = []
const api = await startTestApi({ onLogLine: (line) => lines.push(JSON.parse(line) as never) })
afterAll(() => api.stop())
beforeEach(() => {
  lines.length = 0
})

const NUMBER = '237670000001'
const intent = `amount=5000&currency=XAF&payment_method_types[]=${PUSH_RAIL}`
const path = '/v1/payment_intents'

test('a request writes one line with its route, caller and result', async () => {
  const answer = await api.call({ path, form: intent })
  expect(lines).toEqual([
    {
      level: 'info',
      time: expect.any(Number),
      app: 'api',
      request_id: answer.headers['request-id'],
      method: 'POST',
      route: path,
      status: 201,
      merchant: 'acme',
      code: null,
      param: null,
      replayed: false,
      duration_ms: expect.any(Number),
      msg: 'request',
    },
  ])
})

describe('a client that has gone', () => {
  const head = async (target: string, length: number) =>
    [
      `POST ${target} HTTP/1.1`,
      'Host: a',
      `Authorization: Bearer ${await api.tokenFor('acme')}`,
      `Idempotency-Key: ${randomUUID()}`,
      'Content-Type: application/x-www-form-urlencoded',
      `Content-Length: ${length}`,
      '\r\n',
    ].join('\r\n')

  test('before its answer: the line and the count have the answer that it did not get', async () => {
    const { id } = await createIntent(api)
    const form = confirmForm()
    api.wire.hold()
    await leaveDuring(api.origin, (await head(`${path}/${id}/confirm`, form.length)) + form, () =>
      api.wire.held(),
    )
    lines.length = 0
    api.wire.release()
    const facts = { method: 'POST', route: `${path}/:id/confirm`, status: 200 }
    await expect.poll(() => lines).toMatchObject([{ ...facts, level: 'info', merchant: 'acme', code: null }])
    const labels = 'method="POST",route="/v1/payment_intents/:id/confirm",status="200"'
    expect(await api.figure(`http_server_request_duration_seconds_count{${labels}}`)).toBe(1)
  })

  test('within its body: no fault of the service', async () => {
    await leaveDuring(api.origin, `${await head(path, intent.length)}amount=50`, () => delay(50))
    await expect
      .poll(() => lines)
      .toMatchObject([{ level: 'info', route: path, status: 400, code: 'invalid_request' }])
  })
})

describe('a line has only the plain name of the faulty parameter', () => {
  test.each([
    ['a plain one', { form: 'amount=1.5' }, 'amount'],
    ['an element', { form: `${intent}&payment_method_types[1]=nowhere` }, 'payment_method_types'],
    ['a key of metadata', { form: `${intent}&metadata[${NUMBER}][x]=1` }, 'metadata'],
    ['JSON sent as a form', { form: `{"phone":"${NUMBER}","tags":["a"]}` }, null],
    ['a number for a name', { form: `${NUMBER}[=1` }, null],
    ['an unknown filter', { method: 'GET', path: `${path}?${NUMBER}=1` }, null],
  ] as const)('%s', async (_, call, param) => {
    const answer = await api.call({ path, ...call })
    expect(answer.status).toBe(400)
    expect(lines).toMatchObject([{ status: 400, code: 'invalid_request', param }])
    expect(JSON.stringify(lines)).not.toContain(NUMBER)
  })
})
