import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { startTestApi } from '../harness.ts'
import { sendRaw } from '../raw.ts'
import { createIntent, intentForm } from '../steps.ts'

const api = await startTestApi()
afterAll(() => api.stop())

const bearer = async () => `Authorization: Bearer ${await api.tokenFor('acme')}`
const request = (lines: readonly string[], body = '') => `${lines.join('\r\n')}\r\n\r\n${body}`

/** Expects one answer, and a service that still serves afterwards. */
async function only(bytes: string | Uint8Array) {
  const [answer, ...more] = await sendRaw(api.origin, bytes)
  if (answer === undefined) throw new Error('no answer')
  expect(more).toEqual([])
  expect((await api.call({ path: '/healthz' })).status).toBe(200)
  return answer
}

describe('malformed HTTP is refused in the envelope', () => {
  const host = 'Host: api.test'
  const post = ['POST /v1/payment_intents HTTP/1.1', host]
  test.each<[string, string | Uint8Array]>([
    ['an unknown method', request(['FROB /v1/events HTTP/1.1', host])],
    ['a method in lower case', request(['get /v1/events HTTP/1.1', host])],
    ['a version to come', request(['GET /v1/events HTTP/9.9', host])],
    ['a space in the target', request(['GET /v1/events a HTTP/1.1', host])],
    ['a byte beyond ASCII in a header’s name', request(['GET /v1/events HTTP/1.1', host, 'Caf\u00e9: 1'])],
    ['a NUL in a header', request(['GET /v1/events HTTP/1.1', host, 'X: a\u0000b'])],
    ['a lone line feed in a header', request(['GET /v1/events HTTP/1.1', host, 'X: a\nY: b'])],
    ['a folded header', request(['GET /v1/events HTTP/1.1', host, 'X: a', ' b'])],
    ['a space before a colon', request(['GET /v1/events HTTP/1.1', host, 'X : a'])],
    ['two lengths', request([...post, 'Content-Length: 1', 'Content-Length: 2'], 'ab')],
    [
      'a length and chunks',
      request([...post, 'Content-Length: 3', 'Transfer-Encoding: chunked'], '0\r\n\r\n'),
    ],
    ['a negative length', request([...post, 'Content-Length: -1'], 'a')],
    ['a length that is no number', request([...post, 'Content-Length: 1e1'], 'a')],
    ['a length beyond counting', request([...post, `Content-Length: ${'9'.repeat(40)}`], 'a')],
    [
      'a chunk size that is no number',
      request([...post, 'Transfer-Encoding: chunked'], 'zz\r\na\r\n0\r\n\r\n'),
    ],
    [
      'a chunk longer than its size',
      request([...post, 'Transfer-Encoding: chunked'], '1\r\nabc\r\n0\r\n\r\n'),
    ],
    ['an encoding after chunks', request([...post, 'Transfer-Encoding: chunked, identity'], 'a')],
    ['20 kB of headers', request(['GET /v1/events HTTP/1.1', host, `X: ${'x'.repeat(20_000)}`])],
    ['a target that is no address', request(['GET http:/// HTTP/1.1', host, 'Connection: close'])],
    ['a target of 20 kB', request([`GET /v1/events?${'x'.repeat(20_000)} HTTP/1.1`, host])],
    ['a TLS hello', Uint8Array.of(0x16, 3, 1, 0, 0xa5, 1, 0, 0, 0xa1, 3, 3)],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['noise', '\u0001\u0002\u0003\r\n\r\n'],
  ])('%s', async (_, bytes) => {
    const answer = await only(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
    expect(answer).toBeRefusal('invalid_request')
    expect(answer.headers.connection).toBe('close')
  })
})

describe('unusual HTTP is served', () => {
  const listed = { object: 'list', url: '/v1/events', has_more: false, data: [] }

  test.each<[string, (auth: string) => string[]]>([
    ['without a host', (auth) => ['GET /v1/events HTTP/1.1', auth, 'Connection: close']],
    ['in HTTP/1.0', (auth) => ['GET /v1/events HTTP/1.0', auth]],
    [
      'by an absolute address',
      (auth) => ['GET http://elsewhere/v1/events HTTP/1.1', 'Host: a', auth, 'Connection: close'],
    ],
    [
      'with an expectation that nobody knows',
      (auth) => ['GET /v1/events HTTP/1.1', 'Host: a', auth, 'Expect: foo', 'Connection: close'],
    ],
    [
      'with an upgrade that nobody offers',
      (auth) => ['GET /v1/events HTTP/1.1', 'Host: a', auth, 'Upgrade: h2c', 'Connection: Upgrade, close'],
    ],
    [
      'by header names in capitals',
      (auth) => [
        'GET /v1/events HTTP/1.1',
        'HOST: a',
        auth.toUpperCase().replace(/BEARER .*/, auth.slice(15)),
        'CONNECTION: close',
      ],
    ],
  ])('%s', async (_, lines) => {
    const answer = await only(request(lines(await bearer())))
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: listed })
    expect(answer).toHaveRequestId()
  })

  const creation = async (more: readonly string[], body: string) =>
    request(
      [
        'POST /v1/payment_intents HTTP/1.1',
        'Host: a',
        await bearer(),
        `Idempotency-Key: ${randomUUID()}`,
        'Content-Type: application/x-www-form-urlencoded',
        'Connection: close',
        ...more,
      ],
      body,
    )
  const chunked = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`

  test('a body in chunks', async () => {
    const body = `${chunked(intentForm.slice(0, 10))}${chunked(intentForm.slice(10))}0\r\n\r\n`
    const answer = await only(await creation(['Transfer-Encoding: chunked'], body))
    expect(answer).toMatchObject({ status: 201 })
  })

  test('a body that waits for 100 Continue', async () => {
    const answer = await only(
      await creation(['Expect: 100-continue', `Content-Length: ${intentForm.length}`], intentForm),
    )
    expect(answer).toMatchObject({ status: 201 })
  })

  test('a compressed body is not read as a form', async () => {
    const gzipped = gzipSync(intentForm)
    const head = await creation(['Content-Encoding: gzip', `Content-Length: ${gzipped.length}`], '')
    expect(await only(Buffer.concat([Buffer.from(head), gzipped]))).toBeRefusal('invalid_request')
  })

  test('pipelined requests are answered in order', async () => {
    const auth = await bearer()
    const { id } = await createIntent(api)
    const get = (path: string, close = '') =>
      request([`GET ${path} HTTP/1.1`, 'Host: a', auth, ...(close ? [close] : [])])
    const answers = await sendRaw(
      api.origin,
      get('/v1/events') + get(`/v1/payment_intents/${id}`) + get('/healthz', 'Connection: close'),
    )
    expect(answers.map(({ status, body }) => [status, body.object ?? body.status])).toEqual([
      [200, 'list'],
      [200, 'payment_intent'],
      [200, 'ok'],
    ])
  })
})

describe('a client that disconnects', () => {
  test.each([
    ['in its request line', 'GET /v1/ev'],
    ['in its headers', 'POST /v1/payment_intents HTTP/1.1\r\nHost: a\r\nAuthoriz'],
    ['before its body', 'POST /v1/payment_intents HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n'],
    ['in its body', 'POST /v1/payment_intents HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc'],
    [
      'in a chunk',
      'POST /v1/payment_intents HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab',
    ],
    ['before its answer', 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'],
  ])('%s leaves the service unchanged', async (_, bytes) => {
    const { hostname, port } = new URL(api.origin)
    for (const leave of ['destroy', 'end'] as const) {
      const socket = connect(Number(port), hostname)
      socket.on('error', () => undefined)
      socket.resume()
      await once(socket, 'connect')
      socket.write(bytes)
      if (leave === 'destroy') socket.resetAndDestroy()
      else socket.end()
      await once(socket, 'close')
    }
    expect((await api.call({ path: '/v1/events' })).status).toBe(200)
  })
})
