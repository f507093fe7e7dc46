import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import type { FaultInput } from '../src/index.ts'
import {
  access,
  call,
  core,
  mintToken,
  outcomeOf,
  query,
  startRails,
  submit,
  walletNotFound,
} from './mtn-client.ts'

const rails = await startRails()
afterAll(() => rails.stop())
beforeEach(() => rails.control.reset())

const add = (fault: FaultInput) => rails.control.addFault(fault)

describe('a fault before the rail acts', () => {
  test.each<[string, FaultInput, object]>([
    [
      'http',
      { operation: 'submit', kind: 'http', status: 502, body: 'bad gateway' },
      { status: 502, body: 'bad gateway' },
    ],
    ['http without a body', { operation: 'submit', kind: 'http', status: 503 }, { status: 503, body: '' }],
    [
      'throttled',
      { operation: 'submit', kind: 'throttled', retryAfterSec: 7 },
      {
        status: 429,
        body: { statusCode: 429, message: 'Rate limit is exceeded. Try again in 7 seconds.' },
      },
    ],
    ['html', { operation: 'submit', kind: 'html' }, { status: 200, body: expect.stringContaining('<html>') }],
  ])('%s answers instead of the rail, once', async (_name, fault, answer) => {
    await add(fault)
    const { reference, ...spoiled } = await submit(rails)
    expect(core(spoiled)).toEqual(answer)
    expect(core(await query(rails, reference))).toEqual(walletNotFound)
    expect((await submit(rails, { reference })).status).toBe(202)
    expect(await rails.control.listFaults()).toEqual([])
  })

  test('a throttled answer says when to retry', async () => {
    await add({ operation: 'submit', kind: 'throttled', retryAfterSec: 7 })
    expect((await submit(rails)).headers.get('retry-after')).toBe('7')
  })

  test('an html answer is of that type', async () => {
    await add({ operation: 'status', kind: 'html' })
    expect((await query(rails, crypto.randomUUID())).headers.get('content-type')).toBe('text/html')
  })

  test('reset closes the connection while the body is still arriving', async () => {
    await add({ operation: 'submit', kind: 'reset' })
    const { port } = new URL(rails.wireUrl)
    const socket = connect(Number(port), '127.0.0.1')
    const closed = once(socket, 'error')
    socket.write('POST /collection/v1_0/requesttopay HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\n{')
    expect(await closed).toMatchObject([{ code: 'ECONNRESET' }])
    expect(await rails.control.listCalls()).toMatchObject([
      { operation: 'submit', outcome: 'reset', status: null, body: null, fault: 'reset' },
    ])
  })

  test('hang never answers and accepts nothing', async () => {
    await add({ operation: 'submit', kind: 'hang' })
    const giveUp = new AbortController()
    const reference = crypto.randomUUID()
    const outcome = outcomeOf(submit(rails, { reference, signal: giveUp.signal }))
    await expect
      .poll(() => rails.control.listCalls({ operation: 'submit' }))
      .toMatchObject([{ outcome: 'hang' }])
    giveUp.abort()
    expect(await outcome).toBe('AbortError')
    expect(await rails.control.findCharge(reference)).toBeUndefined()
  })

  test('delay acts only after its time', async () => {
    await add({ operation: 'submit', kind: 'delay', delayMs: 600_000 })
    const giveUp = new AbortController()
    const reference = crypto.randomUUID()
    const outcome = outcomeOf(submit(rails, { reference, signal: giveUp.signal }))
    await expect.poll(() => rails.control.listFaults()).toEqual([])
    expect(await rails.control.findCharge(reference)).toBeUndefined()
    giveUp.abort()
    expect(await outcome).toBe('AbortError')
  })

  test('a short delay only delays', async () => {
    await add({ operation: 'submit', kind: 'delay', delayMs: 1 })
    expect((await submit(rails)).status).toBe(202)
  })
})

describe('a fault after the rail acted', () => {
  test.each<[string, FaultInput, object]>([
    ['http', { operation: 'submit', kind: 'http', when: 'after', status: 504 }, { status: 504, body: '' }],
    [
      'html',
      { operation: 'submit', kind: 'html', when: 'after' },
      { status: 200, body: expect.stringContaining('<html>') },
    ],
    ['delay', { operation: 'submit', kind: 'delay', when: 'after', delayMs: 1 }, { status: 202, body: '' }],
  ])('%s changes only the answer', async (_name, fault, answer) => {
    await add(fault)
    const { reference, ...spoiled } = await submit(rails)
    expect(core(spoiled)).toEqual(answer)
    expect((await query(rails, reference)).body).toMatchObject({ status: 'PENDING' })
  })

  test('reset', async () => {
    await add({ operation: 'submit', kind: 'reset', when: 'after' })
    const reference = crypto.randomUUID()
    await expect(submit(rails, { reference })).rejects.toThrow('fetch failed')
    expect(await rails.control.findCharge(reference)).toMatchObject({ state: 'PENDING' })
  })

  test('hang', async () => {
    await add({ operation: 'submit', kind: 'hang', when: 'after' })
    const giveUp = new AbortController()
    const reference = crypto.randomUUID()
    const outcome = outcomeOf(submit(rails, { reference, signal: giveUp.signal }))
    await expect.poll(() => rails.control.findCharge(reference)).toBeDefined()
    giveUp.abort()
    expect(await outcome).toBe('AbortError')
  })

  test('a truncated 202 has a status line and a shorter body than announced', async () => {
    await add({ operation: 'submit', kind: 'truncated' })
    const reference = crypto.randomUUID()
    await expect(submit(rails, { reference })).rejects.toThrow('terminated')
    expect(await rails.control.findCharge(reference)).toMatchObject({ state: 'PENDING' })
    expect(await rails.control.listCalls({ operation: 'submit' })).toMatchObject([
      { status: 202, outcome: 'truncated' },
    ])
  })

  test('a truncated status ends in the middle of its JSON', async () => {
    const { reference } = await submit(rails)
    await add({ operation: 'status', kind: 'truncated' })
    const response = await fetch(`${rails.wireUrl}/collection/v1_0/requesttopay/${reference}`, {
      headers: (await access(rails)) as Record<string, string>,
    })
    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow('terminated')
  })

  test('a slow drip arrives in many pieces, and complete', async () => {
    const { reference } = await submit(rails)
    await add({ operation: 'status', kind: 'slow_drip', intervalMs: 1 })
    const response = await fetch(`${rails.wireUrl}/collection/v1_0/requesttopay/${reference}`, {
      headers: (await access(rails)) as Record<string, string>,
    })
    const pieces: Uint8Array[] = []
    for await (const piece of response.body ?? []) pieces.push(piece)
    expect(pieces.length).toBeGreaterThan(3)
    expect(JSON.parse(Buffer.concat(pieces).toString())).toEqual((await query(rails, reference)).body)
  })
})

describe('a request that a proxy repeats', () => {
  const duplicate = {
    status: 409,
    body: {
      code: 'RESOURCE_ALREADY_EXIST',
      message: 'Duplicated reference id. Creation of resource failed.',
    },
  }

  test.each([
    ['submit', 'collection'],
    ['transfer', 'disbursement'],
  ] as const)(
    'of a %s that was accepted is a 409, and creates no second payment',
    async (operation, product) => {
      await add({ operation, kind: 'resent' })
      const { reference, ...answer } = await submit(rails, {}, product)
      expect(core(answer)).toEqual(duplicate)
      expect((await query(rails, reference, product)).body).toMatchObject({ status: 'PENDING' })
      expect(await rails.control.listPrompts()).toHaveLength(product === 'collection' ? 1 : 0)
      expect(await rails.control.listCalls({ operation })).toMatchObject([{ status: 409, fault: 'resent' }])
    },
  )

  test('of a submit that was refused is refused with the same answer', async () => {
    await add({ operation: 'submit', kind: 'resent' })
    const { reference, ...answer } = await submit(rails, { body: { currency: 'EUR' } })
    expect(core(answer)).toEqual({
      status: 500,
      body: { code: 'INVALID_CURRENCY', message: 'Currency not supported.' },
    })
    expect(core(await query(rails, reference))).toEqual(walletNotFound)
  })

  test('of a status query has the same answer', async () => {
    const { reference } = await submit(rails)
    await add({ operation: 'status', kind: 'resent' })
    expect((await query(rails, reference)).body).toMatchObject({ status: 'PENDING' })
    expect(await rails.control.findCharge(reference)).toMatchObject({ statusQueries: 2 })
  })
})

describe('queued faults', () => {
  test('hit the next N requests of their operation, in order, and no other', async () => {
    await add({ operation: 'status', kind: 'http', status: 500, times: 2 })
    await add({ operation: 'status', kind: 'http', status: 503 })
    const { reference, status } = await submit(rails)
    expect(status).toBe(202)
    const answers = []
    for (let n = 0; n < 4; n++) answers.push((await query(rails, reference)).status)
    expect(answers).toEqual([500, 500, 503, 200])
  })

  test.each<[FaultInput['operation'], () => Promise<{ status: number }>]>([
    ['token', () => call(rails.wireUrl, 'POST', '/disbursement/token/')],
    ['submit', () => submit(rails)],
    ['status', () => query(rails, crypto.randomUUID())],
    ['accountholder', () => call(rails.wireUrl, 'GET', '/collection/v1_0/accountholder/msisdn/1/active')],
    ['transfer', () => submit(rails, {}, 'disbursement')],
    ['transfer_status', () => query(rails, crypto.randomUUID(), 'disbursement')],
    ['provisioning', () => call(rails.wireUrl, 'POST', '/v1_0/apiuser')],
  ])('can be for %s', async (operation, request) => {
    await add({ operation, kind: 'http', status: 599 })
    expect((await request()).status).toBe(599)
  })

  test('can be listed and cleared', async () => {
    const fault = { operation: 'token', kind: 'http', status: 500, times: 3 } as const
    expect(await add(fault)).toEqual([{ ...fault, when: 'before' }])
    await mintToken(rails)
    expect(await rails.control.listFaults()).toEqual([{ ...fault, times: 2, when: 'before' }])
    expect(await rails.control.clearFaults()).toEqual([])
    expect(await mintToken(rails)).toEqual(expect.any(String))
  })

  test('are refused above the limit', async () => {
    for (let n = 0; n < 100; n++) await add({ operation: 'token', kind: 'hang' })
    await expect(add({ operation: 'token', kind: 'hang' })).rejects.toMatchObject({
      status: 409,
      message: 'too many faults are queued',
    })
    await add({ operation: 'status', kind: 'hang' })
  })

  test('that are invalid are refused', async () => {
    const bad = { operation: 'submit', kind: 'http', status: 42 } as const
    await expect(add(bad)).rejects.toMatchObject({ status: 400, message: expect.stringContaining('status') })
  })
})
