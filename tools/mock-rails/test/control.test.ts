import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { DEFAULT_SETTINGS } from '../src/index.ts'
import { call, core, START_MS, startRails, submit } from './mtn-client.ts'

const rails = await startRails()
afterAll(() => rails.stop())
beforeEach(() => rails.control.reset())

const raw = (method: string, path: string, body?: unknown) =>
  call(
    rails.controlUrl,
    method,
    path,
    body === undefined ? {} : { 'content-type': 'application/json' },
    body === undefined ? undefined : JSON.stringify(body),
  )

describe('a charge', () => {
  test('is shown completely, in snake_case on the wire', async () => {
    const callbackUrl = 'http://127.0.0.1:9/cb'
    const { reference } = await submit(rails, { msisdn: '237670000000', callbackUrl })
    expect(await rails.control.findCharge(reference)).toEqual({
      rail: 'mtn',
      reference,
      externalId: 'order-1',
      amount: '1000',
      movedAmount: null,
      currency: 'XAF',
      msisdn: '237670000000',
      payerMessage: 'Order 1',
      payeeNote: 'Shop',
      callbackUrl,
      scenario: '000',
      submittedAtMs: START_MS,
      state: 'PENDING',
      reason: null,
      financialTransactionId: null,
      finalAtMs: null,
      statusQueries: 0,
    })
    const shown = await raw('GET', `/control/charges/${reference}`)
    expect(shown.body).toMatchObject({ external_id: 'order-1', submitted_at_ms: START_MS })
  })

  test('that was never submitted is undefined, and cannot be decided', async () => {
    const reference = crypto.randomUUID()
    expect(await rails.control.findCharge(reference)).toBeUndefined()
    expect(await rails.control.findTransfer(reference)).toBeUndefined()
    await expect(rails.control.approveCharge(reference)).rejects.toMatchObject({
      name: 'MockRailsError',
      status: 404,
      message: 'no payment has this reference',
    })
  })

  test('is listed by payer, newest first up to the limit', async () => {
    const first = await submit(rails)
    const second = await submit(rails)
    await submit(rails, { msisdn: '237670000002' })
    const listed = await rails.control.listCharges({ msisdn: '237670000001' })
    expect(listed.map((charge) => charge.reference)).toEqual([first.reference, second.reference])
    const newest = await rails.control.listCharges({ msisdn: '237670000001', limit: 1 })
    expect(newest.map((charge) => charge.reference)).toEqual([second.reference])
    expect(await rails.control.listTransfers()).toEqual([])
  })
})

describe('the call log', () => {
  test('holds requests and answers', async () => {
    const { reference } = await submit(rails, { text: '{}', callbackUrl: 'http://127.0.0.1:9/cb' })
    expect(await rails.control.listCalls({ operation: 'submit' })).toEqual([
      {
        operation: 'submit',
        method: 'POST',
        path: '/collection/v1_0/requesttopay',
        reference,
        callbackUrl: 'http://127.0.0.1:9/cb',
        body: '{}',
        status: 400,
        outcome: 'answered',
        why: expect.stringMatching(/^body amount/),
        fault: null,
        atMs: START_MS,
      },
    ])
  })

  test('keeps the newest 2000', async () => {
    const paths = Array.from({ length: 2_050 }, (_, index) => `/nowhere/${index}`)
    for (let from = 0; from < paths.length; from += 50) {
      await Promise.all(paths.slice(from, from + 50).map((path) => call(rails.wireUrl, 'GET', path)))
    }
    const calls = await rails.control.listCalls({ operation: 'unrouted', limit: 5_000 })
    expect(calls).toHaveLength(2_000)
    expect(calls.map((entry) => entry.path)).not.toContain('/nowhere/0')
    expect(calls.map((entry) => entry.path)).toContain('/nowhere/2049')
  })
})

describe('settings', () => {
  test('change in part, at once, and return at a reset', async () => {
    expect(await rails.control.getSettings()).toEqual(DEFAULT_SETTINGS)
    const changed = await rails.control.updateSettings({
      mtn: { currency: 'EUR', targetEnvironment: 'sandbox' },
    })
    expect(changed).toEqual({
      ...DEFAULT_SETTINGS,
      mtn: { ...DEFAULT_SETTINGS.mtn, currency: 'EUR', targetEnvironment: 'sandbox' },
    })
    const headers = { 'x-target-environment': 'sandbox' }
    expect((await submit(rails, { headers, body: { currency: 'EUR' } })).status).toBe(202)
    await rails.control.reset()
    expect(await rails.control.getSettings()).toEqual(DEFAULT_SETTINGS)
  })

  test.each([
    ['an unknown setting', { mtn: { colour: 'red' } }, 'colour'],
    ['an unknown rail', { pigeon: {} }, 'pigeon'],
    ['an unknown setting of Orange', { orange: { colour: 'red' } }, 'colour'],
    ['a client id that Basic cannot carry', { orange: { client_id: 'a:b' } }, 'clientId'],
    ['a negative delay', { mtn: { auto_approve_after_ms: -1 } }, 'autoApproveAfterMs'],
  ])('%s is refused by name and changes nothing', async (_name, patch, named) => {
    const answer = await raw('POST', '/control/settings', patch)
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining(named) } },
    })
    expect(await rails.control.getSettings()).toEqual(DEFAULT_SETTINGS)
  })

  test('of one rail do not change the other', async () => {
    const changed = await rails.control.updateSettings({ orange: { validityMs: 1 } })
    expect(changed).toEqual({
      ...DEFAULT_SETTINGS,
      orange: { ...DEFAULT_SETTINGS.orange, validityMs: 1 },
    })
  })

  test('given at the start return at a reset', async () => {
    const own = await startRails({ mtn: { autoApproveAfterMs: 0 } })
    await own.control.updateSettings({ mtn: { autoApproveAfterMs: 9 } })
    await own.control.reset()
    expect((await own.control.getSettings()).mtn.autoApproveAfterMs).toBe(0)
    await own.stop()
  })

  test('that are invalid at the start are an error', async () => {
    await expect(startRails({ mtn: { currency: 'FRANCS' } })).rejects.toThrow('currency')
  })
})

describe('the clock', () => {
  test('moves forward only, and returns at a reset', async () => {
    expect(await rails.control.getClock()).toEqual({ nowMs: START_MS, offsetMs: 0 })
    expect(await rails.control.advanceClock(90_000)).toEqual({ nowMs: START_MS + 90_000, offsetMs: 90_000 })
    await expect(rails.control.advanceClock(-1)).rejects.toMatchObject({ status: 400 })
    await rails.control.reset()
    expect(await rails.control.getClock()).toEqual({ nowMs: START_MS, offsetMs: 0 })
  })
})

test('a reset forgets everything', async () => {
  const { reference } = await submit(rails, { callbackUrl: 'http://127.0.0.1:9/cb' })
  await submit(rails, {}, 'disbursement')
  await rails.control.updateSettings({ mtn: { callbacks: 'off' } })
  await rails.control.advanceClock(1_500)
  await rails.control.addFault({ operation: 'token', kind: 'hang' })
  await rails.control.reset()
  const { control } = rails
  expect(await Promise.all([control.listCharges(), control.listTransfers(), control.listPrompts()])).toEqual([
    [],
    [],
    [],
  ])
  expect(await Promise.all([control.listCalls(), control.listCallbacks(), control.listFaults()])).toEqual([
    [],
    [],
    [],
  ])
  expect(await control.getLedger()).toEqual({
    debits: [],
    credits: [],
    debitCount: 0,
    creditCount: 0,
    debitsDropped: 0,
    creditsDropped: 0,
  })
  expect((await submit(rails, { reference })).status).toBe(202)
})

describe('bad requests', () => {
  test.each([
    ['GET', '/control/charges?limit=0', 400],
    ['GET', '/control/charges?limit=many', 400],
    ['GET', '/control/charges?colour=red', 400],
    ['GET', '/control/charges?rail=pigeon', 400],
    ['GET', '/control/calls?operation=dance', 400],
    ['GET', '/control/nothing', 404],
    ['PUT', '/control/settings', 404],
  ])('%s %s is a %i with a message', async (method, path, status) => {
    expect(core(await raw(method, path))).toEqual({
      status,
      body: { error: { message: expect.stringMatching(/./) } },
    })
  })

  test('a body that is not JSON is a 400', async () => {
    const headers = { 'content-type': 'application/json' }
    const answer = await call(rails.controlUrl, 'POST', '/control/faults', headers, '{')
    expect(answer).toMatchObject({ status: 400, body: { error: { message: expect.any(String) } } })
  })
})

test('the control port serves no rail, and the wire port no control', async () => {
  for (const path of ['/collection/token/', '/oauth/v3/token']) {
    expect((await call(rails.controlUrl, 'POST', path)).status).toBe(404)
  }
  expect(core(await call(rails.wireUrl, 'GET', '/control/ledger'))).toEqual({
    status: 404,
    body: { statusCode: 404, message: 'Resource not found' },
  })
})

test('a port in use is an error, and leaves nothing behind', async () => {
  const { port } = new URL(rails.wireUrl)
  const { startMockRails } = await import('../src/index.ts')
  await expect(startMockRails({ controlPort: Number(port) })).rejects.toMatchObject({ code: 'EADDRINUSE' })
})
