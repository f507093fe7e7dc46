import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import type { FaultInput, Operation } from '../src/index.ts'
import { core, outcomeOf, startRails } from './mtn-client.ts'
import { access, ask, askToken, invalidField, newOrderId, open, pathOf, TOKEN_PATH } from './orange-client.ts'

const rails = await startRails()
afterAll(() => rails.stop())
beforeEach(() => rails.control.reset())

type OrangeOperation = Extract<Operation, `orange_${string}`>

const add = (fault: FaultInput) => rails.control.addFault(fault)
const known = { orderId: 'order-known', amount: 1000, payToken: '0'.repeat(64) }
const order_id = 'order-new'

/** One request of each operation. Its token is not the one under test. */
const requests: Record<
  OrangeOperation,
  {
    path: string
    send: (signal?: AbortSignal) => Promise<{ status: number; body: unknown; headers: Headers }>
  }
> = {
  orange_token: { path: TOKEN_PATH, send: () => askToken(rails) },
  orange_submit: {
    path: pathOf('webpayment'),
    send: (signal) => open(rails, { body: { order_id }, ...(signal === undefined ? {} : { signal }) }),
  },
  orange_status: {
    path: pathOf('transactionstatus'),
    send: (signal) => ask(rails, known, signal === undefined ? {} : { signal }),
  },
}

describe.each(Object.entries(requests) as [OrangeOperation, (typeof requests)[OrangeOperation]][])(
  'a fault aimed at %s',
  (operation, { path, send }) => {
    test('answers instead of the rail, the given number of times', async () => {
      await add({ operation, kind: 'http', status: 503, body: 'down', times: 2 })
      for (let n = 0; n < 2; n++) expect(core(await send())).toEqual({ status: 503, body: 'down' })
      expect((await send()).status).not.toBe(503)
      expect(await rails.control.listFaults()).toEqual([])
    })

    test('throttles with Orange’s error body', async () => {
      await add({ operation, kind: 'throttled', retryAfterSec: 7 })
      const answer = await send()
      expect(core(answer)).toEqual({
        status: 429,
        body: {
          code: 53,
          message: 'Too many requests',
          description:
            'The application has made too many calls and has exceeded the rate limit for this service.',
        },
      })
      expect(answer.headers.get('retry-after')).toBe('7')
    })

    test('answers with the page of a gateway', async () => {
      await add({ operation, kind: 'html' })
      const answer = await send()
      expect(core(answer)).toEqual({ status: 200, body: expect.stringContaining('<html>') })
      expect(answer.headers.get('content-type')).toBe('text/html')
    })

    test('closes the connection while the body is still arriving', async () => {
      await add({ operation, kind: 'reset' })
      const { port } = new URL(rails.wireUrl)
      const socket = connect(Number(port), '127.0.0.1')
      const closed = once(socket, 'error')
      socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\n{`)
      expect(await closed).toMatchObject([{ code: 'ECONNRESET' }])
      expect(await rails.control.listCalls({ operation })).toMatchObject([
        { outcome: 'reset', status: null, body: null, fault: 'reset' },
      ])
    })

    test('truncates the answer', async () => {
      await add({ operation, kind: 'truncated' })
      await expect(send()).rejects.toThrow('terminated')
    })

    test('delays it and sends it byte by byte', async () => {
      const plain = await send()
      await rails.control.reset()
      await add({ operation, kind: 'delay', delayMs: 1 })
      expect((await send()).status).toBe(plain.status)
      await rails.control.reset()
      await add({ operation, kind: 'slow_drip', intervalMs: 1 })
      expect((await send()).status).toBe(plain.status)
    })
  },
)

describe('a submit', () => {
  test('that hangs before the rail acts creates nothing', async () => {
    await add({ operation: 'orange_submit', kind: 'hang' })
    const giveUp = new AbortController()
    const outcome = outcomeOf(requests.orange_submit.send(giveUp.signal))
    await expect
      .poll(() => rails.control.listCalls({ operation: 'orange_submit' }))
      .toMatchObject([{ outcome: 'hang', reference: order_id }])
    giveUp.abort()
    expect(await outcome).toBe('AbortError')
    expect(await rails.control.findCharge(order_id)).toBeUndefined()
  })

  test.each<[string, FaultInput]>([
    ['HTTP 504', { operation: 'orange_submit', kind: 'http', status: 504, when: 'after' }],
    ['a page of a gateway', { operation: 'orange_submit', kind: 'html', when: 'after' }],
    ['a reset', { operation: 'orange_submit', kind: 'reset', when: 'after' }],
    ['half an answer', { operation: 'orange_submit', kind: 'truncated' }],
  ])('answered with %s is valid, and its order_id is used up', async (_name, fault) => {
    const body = { order_id: newOrderId() }
    await add(fault)
    await open(rails, { body }).catch(() => {})
    expect(await rails.control.findCharge(body.order_id)).toMatchObject({ state: 'INITIATED' })
    expect((await open(rails, { body })).status).toBe(400)
  })

  test('that a proxy repeats is refused as used, and creates no second order', async () => {
    await add({ operation: 'orange_submit', kind: 'resent' })
    expect(core(await open(rails, { body: { order_id } }))).toEqual(invalidField('order_id: already used'))
    expect(await rails.control.listCharges()).toMatchObject([{ reference: order_id, state: 'INITIATED' }])
  })
})

test('a token revoked in between is refused once, and a new one is accepted', async () => {
  const headers = await access(rails)
  const paid = await open(rails, { headers })
  await rails.control.revokeTokens()
  expect((await ask(rails, paid, { headers })).status).toBe(401)
  expect((await ask(rails, paid)).status).toBe(201)
})

test('the faults of one rail do not affect the other', async () => {
  await add({ operation: 'submit', kind: 'http', status: 500 })
  await add({ operation: 'token', kind: 'http', status: 500 })
  expect((await open(rails)).status).toBe(201)
  expect(await rails.control.listFaults()).toHaveLength(2)
})
