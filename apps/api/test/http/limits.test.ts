import { once } from 'node:events'
import { METHODS } from 'node:http'
import { connect } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { startStaffApi } from '../dash/staff.ts'
import { PUSH_RAIL } from '../harness.ts'
import { sendRaw } from '../raw.ts'
import { createCall, createIntent, intentForm, readIntent } from '../steps.ts'

/** Spec 8. */
const BODY_BYTES_MAX = 64 * 1024

const api = await startStaffApi()
afterAll(() => api.stop())

/** Half a gigabyte in chunks, more than all buffers on the way can hold. */
function* endless(method: string) {
  yield `${method} /v1/payment_intents HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`
  const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`
  for (let sent = 0; sent < 8_192; sent += 1) yield chunk
}

/** A form of exactly this size, filled with an ignored parameter. */
const formOf = (bytes: number, form = intentForm) => `${form}&x=`.padEnd(bytes, 'x')

describe('a body of 64 KiB [§8]', () => {
  // CONNECT asks for another protocol; the raw reader takes the length of a HEAD's answer for a body.
  const answered = METHODS.filter((method) => method !== 'CONNECT' && method !== 'HEAD')
  test.each(answered)(
    'is read to its end, and the next request answered, whatever its method: %s',
    async (method) => {
      const body = `10000\r\n${'x'.repeat(BODY_BYTES_MAX)}\r\n0\r\n\r\n`
      const head = `${method} /healthz HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n`
      const next = 'GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
      const statuses = (await sendRaw(api.origin, head + body + next)).map(({ status }) => status)
      expect(statuses).toEqual([method === 'GET' ? 200 : 405, 200])
    },
  )

  test.each([
    ['is served', {}],
    ['in chunks is served', { 'transfer-encoding': 'chunked' }],
  ])('%s', async (_, framing) => {
    const headers: Record<string, string> = { ...framing }
    expect((await api.call(createCall(formOf(BODY_BYTES_MAX), { headers }))).status).toBe(201)
  })
})

describe('413 [§7.1, §8]', () => {
  const tooMuch = formOf(BODY_BYTES_MAX + 1)
  test.each([
    ['a creation', { path: '/v1/payment_intents' }],
    ['a creation without a token', { path: '/v1/payment_intents', token: null }],
    ['a creation without a key', { path: '/v1/payment_intents', key: null }],
    ['a creation in JSON', { path: '/v1/payment_intents', headers: { 'content-type': 'application/json' } }],
    ['a confirmation', { path: '/v1/payment_intents/x/confirm' }],
    ['a cancellation', { path: '/v1/payment_intents/x/cancel' }],
    ['a token request', { path: '/v1/oauth/token', token: null }],
    ['a callback', { path: `/provider/${PUSH_RAIL}/callback`, token: null }],
    ['a deletion', { method: 'DELETE', path: '/v1/customers/x' }],
    ['a list', { method: 'GET', path: '/v1/payment_intents' }],
    ['a read without a token', { method: 'GET', path: '/v1/payment_intents/x', token: null }],
    ['a read by a payer', { method: 'GET', path: '/v1/browser/payment_intents/x', token: null }],
    ['a read by staff', { method: 'GET', path: '/dash/v1/me', token: null }],
    ['a sign-in', { method: 'GET', path: '/dash/v1/sign_in', token: null }],
    ['the key set', { method: 'GET', path: '/v1/oauth/jwks.json', token: null }],
    ['the health check', { method: 'GET', path: '/healthz', token: null }],
    ['the description of the API', { method: 'GET', path: '/openapi/v1.json', token: null }],
    ['the reference', { method: 'GET', path: '/reference/', token: null }],
    ['a wrong method', { method: 'GET', path: '/v1/oauth/token', token: null }],
    ['an unrouted path', { method: 'GET', path: '/nothing', token: null }],
  ] as const)('%s, by its length or in chunks [§7.2]', async (_, call) => {
    expect(await api.call({ ...call, form: tooMuch })).toBeBare(413)
    const headers = { ...('headers' in call ? call.headers : {}), 'transfer-encoding': 'chunked' }
    const answer = await api.call({ ...call, form: tooMuch, headers })
    expect(answer).toBeBare(413)
  })

  test.each(['GET', 'POST'])('an announced length is refused before the body arrives: %s', async (method) => {
    const head = [
      `${method} /v1/payment_intents HTTP/1.1`,
      'Host: a',
      'Content-Length: 20000000',
      '',
      '',
    ].join('\r\n')
    const [answer] = await sendRaw(api.origin, head)
    if (answer === undefined) throw new Error('no answer')
    expect(answer).toBeBare(413)
    expect(answer.headers.connection).toBe('close')
  })

  test.each(['GET', 'POST'])('an endless sender is disconnected: %s', async (method) => {
    const { hostname, port } = new URL(api.origin)
    const socket = connect(Number(port), hostname)
    socket.resume()
    await once(socket, 'connect')
    await expect(pipeline(endless(method), socket)).rejects.toThrow(/EPIPE|ECONNRESET|premature/i)
    expect((await api.call({ path: '/healthz' })).status).toBe(200)
  })

  test('changes nothing', async () => {
    const created = await createIntent(api)
    expect(await api.call({ path: `/v1/payment_intents/${created.id}/cancel`, form: tooMuch })).toBeBare(413)
    expect((await readIntent(api, created.id)).body).toEqual(created)
  })
})

describe('a form', () => {
  test('of 1000 parameters and five levels is accepted', async () => {
    const pairs = Array.from({ length: 996 }, (_, n) => `k${n}[a][b][c][d][e]=`)
    expect((await api.call(createCall(`${intentForm}&${pairs.join('&')}`))).status).toBe(201)
  })

  test('of one more parameter or level is refused', async () => {
    const pairs = Array.from({ length: 998 }, (_, n) => `k${n}=`)
    expect(await api.call(createCall(`${intentForm}&${pairs.join('&')}`))).toBeRefusal('invalid_request')
    const deep = 'k[a][b][c][d][e][f]'
    expect(await api.call(createCall(`${intentForm}&${deep}=`))).toBeRefusal('invalid_request', deep)
  })

  test('a query has the same limits', async () => {
    const pairs = Array.from({ length: 1001 }, () => 'a=')
    expect(await api.call({ path: `/v1/events?${pairs.join('&')}` })).toBeRefusal('invalid_request')
    expect(await api.call({ path: '/v1/events?a[b][c][d][e][f][g]=' })).toBeRefusal(
      'invalid_request',
      'a[b][c][d][e][f][g]',
    )
  })
})
