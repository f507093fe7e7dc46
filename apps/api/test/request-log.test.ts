import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { PUSH_RAIL, startTestApi } from './harness.ts'

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
