import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen } from '@merchant-payments/testing/listen'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Forwarded } from '../src/forward.ts'
import { completePorts } from '../src/ports.ts'
import { RECEIVED_MAX, startReceiver } from '../src/receiver.ts'

const arrivalMs = Date.UTC(2026, 10, 21, 12, 0, 0, 5)

async function start() {
  const { receiver: port } = await completePorts({})
  const receiver = await startReceiver({ port, endpointId: 'main', clock: () => arrivalMs })
  onTestFinished(() => receiver.stop())
  const post = (body: string | Buffer, init: RequestInit = {}) =>
    fetch(receiver.url, { method: 'POST', body, headers: { 'service-event-id': 'evt_1' }, ...init })
  const read = async () => (await (await fetch(receiver.receivedUrl)).json()) as { data: { body: string }[] }
  return { receiver, post, read }
}

test('a delivery is answered with 200 and stored unchanged', async () => {
  const { receiver, post, read } = await start()

  expect((await post('{"a": 1}\n')).status).toBe(200)

  expect(await read()).toEqual({
    data: [
      {
        received_at: '2026-11-21T12:00:00.005Z',
        headers: expect.objectContaining({ 'service-event-id': 'evt_1', 'content-length': '9' }),
        body: '{"a": 1}\n',
      },
    ],
  })
  expect(await read()).toEqual({ data: receiver.received() })
})

test('bytes that are not UTF-8 are also stored as base64', async () => {
  const { post, read } = await start()

  await post(Buffer.from([0x61, 0xff, 0x62]))

  expect(await read()).toMatchObject({ data: [{ body: 'a\ufffdb', body_base64: 'Yf9i' }] })
})

test('above the bound the oldest deliveries are dropped', async () => {
  const { receiver, post } = await start()

  for (let first = 0; first <= RECEIVED_MAX; first += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, index) => post(String(first + index))))
  }
  await post('last')

  expect(receiver.received()).toHaveLength(RECEIVED_MAX)
  expect(receiver.received().at(-1)?.body).toBe('last')
  expect(receiver.received().map(({ body }) => body)).not.toContain('0')
})

test('a body above the bound is refused and not stored', async () => {
  const { receiver, post } = await start()

  const { status } = await post('x'.repeat(300_000))

  expect(status).toBe(413)
  expect(receiver.received()).toEqual([])
})

test('the next deliveries get the programmed answers, one each, and later ones the default', async () => {
  const { receiver, post } = await start()
  receiver.program([{ status: 500 }, { status: 302, delayMs: 5 }], { status: 410 })

  const statuses = []
  for (let index = 0; index < 4; index += 1) {
    statuses.push((await post('{}', { redirect: 'manual' })).status)
  }
  receiver.program([])
  statuses.push((await post('{}')).status)

  expect(statuses).toEqual([500, 302, 410, 410, 200])
})

test('a delivery without an answer is stored, and a stop ends it', async () => {
  const { receiver, post } = await start()
  receiver.program([{ hang: true }])

  const hanging = post('{}').catch((error: Error) => error.message)
  await expect.poll(() => receiver.received()).toHaveLength(1)
  await receiver.stop()

  expect(await hanging).toBe('fetch failed')
})

test('a cleared receiver has no deliveries, and another path is a 404', async () => {
  const { receiver, post, read } = await start()
  await post('{}')

  receiver.clear()

  expect(await read()).toEqual({ data: [] })
  expect((await fetch(new URL('/', receiver.url))).status).toBe(404)
})

describe('a receiver that sends webhooks on', () => {
  /** A merchant's own server, which answers with this status. */
  async function startShop(status: number) {
    const got: { headers: Record<string, unknown>; body: string }[] = []
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        got.push({ headers: request.headers, body })
        response.writeHead(status).end()
      })
    })
    return { got, url: `http://127.0.0.1:${await listen(server)}/webhooks` }
  }

  async function startForwarding(forwardUrl?: string) {
    const { receiver: port } = await completePorts({})
    const forwarded: Forwarded[] = []
    const receiver = await startReceiver({
      port,
      endpointId: 'main',
      clock: () => arrivalMs,
      forwardUrl,
      onForwarded: (one) => forwarded.push(one),
    })
    onTestFinished(() => receiver.stop())
    const signed = { 'service-signature': 't=1,v1=a', 'service-event-id': 'evt_1', cookie: 'none of theirs' }
    const post = () => fetch(receiver.url, { method: 'POST', body: '{"a": 1}', headers: signed })
    const put = (body: string) => fetch(new URL('/forward', receiver.url), { method: 'PUT', body })
    return { receiver, forwarded, post, put }
  }

  test('sends the same bytes and signature, and answers as the shop did', async () => {
    const shop = await startShop(418)
    const { receiver, forwarded, post } = await startForwarding(shop.url)

    expect((await post()).status).toBe(418)

    expect(shop.got).toEqual([
      {
        headers: expect.objectContaining({
          'service-signature': 't=1,v1=a',
          'service-event-id': 'evt_1',
        }) as unknown,
        body: '{"a": 1}',
      },
    ])
    expect(shop.got[0]?.headers).not.toHaveProperty('cookie')
    expect(forwarded).toEqual([{ url: shop.url, status: 418 }])
    expect(receiver.received()).toHaveLength(1)
  })

  test('gets another address while it runs, or none', async () => {
    const shop = await startShop(204)
    const { receiver, post, put } = await startForwarding()

    expect((await put(JSON.stringify({ url: shop.url }))).status).toBe(200)
    expect((await post()).status).toBe(204)
    expect(await (await fetch(new URL('/forward', receiver.url))).json()).toEqual({ url: shop.url })

    expect((await put('{"url":null}')).status).toBe(200)
    expect((await post()).status).toBe(200)
    expect(shop.got).toHaveLength(1)
    for (const faulty of ['{}', 'no JSON', '{"url":"file:///etc/passwd"}']) {
      expect((await put(faulty)).status).toBe(400)
    }
  })

  test('answers 502 while nothing listens there, so that the service sends it again', async () => {
    const { forwarded, post } = await startForwarding('http://127.0.0.1:1/webhooks')
    expect((await post()).status).toBe(502)
    expect(forwarded).toEqual([{ url: 'http://127.0.0.1:1/webhooks', status: null }])
  })
})
