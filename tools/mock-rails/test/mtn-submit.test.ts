import { randomUUID } from 'node:crypto'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { core, paymentBody, query, START_MS, startRails, submit, walletNotFound } from './mtn-client.ts'

const rails = await startRails()
afterAll(() => rails.stop())
beforeEach(() => rails.control.reset())

const accepted = { status: 202, body: '' }
const duplicate = {
  status: 409,
  body: {
    code: 'RESOURCE_ALREADY_EXIST',
    message: 'Duplicated reference id. Creation of resource failed.',
  },
}

describe('a request to pay', () => {
  test('is accepted with an empty 202, is pending, and then successful', async () => {
    const answer = await submit(rails)
    expect(core(answer)).toEqual(accepted)
    expect(answer.headers.get('content-length')).toBe('0')
    const pending = {
      externalId: 'order-1',
      amount: '1000',
      currency: 'XAF',
      payer: { partyIdType: 'MSISDN', partyId: '237670000001' },
      payerMessage: 'Order 1',
      payeeNote: 'Shop',
      status: 'PENDING',
    }
    expect(core(await query(rails, answer.reference))).toEqual({ status: 200, body: pending })
    await rails.control.advanceClock(1_499)
    expect(core(await query(rails, answer.reference))).toEqual({ status: 200, body: pending })
    await rails.control.advanceClock(1)
    expect(core(await query(rails, answer.reference))).toEqual({
      status: 200,
      body: { ...pending, financialTransactionId: expect.stringMatching(/^\d{10}$/), status: 'SUCCESSFUL' },
    })
  })

  test('is successful at the first query if approval takes no time', async () => {
    await rails.control.updateSettings({ mtn: { autoApproveAfterMs: 0 } })
    const { reference } = await submit(rails)
    expect((await query(rails, reference)).body).toMatchObject({ status: 'SUCCESSFUL' })
  })

  test('shows one prompt on the handset of its payer, with the name of the account that is paid', async () => {
    await rails.control.updateSettings({ mtn: { payeeName: 'Acme Sarl' } })
    const { reference } = await submit(rails, { msisdn: '237670000000' })
    expect(await rails.control.listPrompts({ msisdn: '237670000000' })).toEqual([
      {
        reference,
        msisdn: '237670000000',
        amount: '1000',
        currency: 'XAF',
        payee: 'Acme Sarl',
        message: 'Order 1',
        shownAtMs: START_MS,
        state: 'PENDING',
      },
    ])
    expect(await rails.control.listPrompts({ msisdn: '237670000001' })).toEqual([])
  })

  test.each([
    ['5.0', '5'],
    ['007', '7'],
    ['12.30', '12.3'],
  ])('of %s is echoed as %s', async (amount, echoed) => {
    const { reference } = await submit(rails, { body: { amount } })
    expect((await query(rails, reference)).body).toMatchObject({ amount: echoed })
  })

  test('is found by its reference in either case', async () => {
    const reference = randomUUID().toUpperCase()
    expect((await submit(rails, { reference })).status).toBe(202)
    expect((await query(rails, reference.toLowerCase())).status).toBe(200)
    expect(core(await submit(rails, { reference: reference.toLowerCase() }))).toEqual(duplicate)
  })

  test('may omit external id and notes', async () => {
    const { reference } = await submit(rails, {
      body: { externalId: undefined, payerMessage: undefined, payeeNote: undefined },
    })
    expect(core(await query(rails, reference))).toEqual({
      status: 200,
      body: {
        amount: '1000',
        currency: 'XAF',
        payer: { partyIdType: 'MSISDN', partyId: '237670000001' },
        status: 'PENDING',
      },
    })
  })
})

describe('a bodiless 400', () => {
  const payer = (partyId: unknown, partyIdType = 'MSISDN') => ({ payer: { partyIdType, partyId } })
  test.each([
    ['a number for an amount', { amount: 1000 }],
    ['no amount', { amount: undefined }],
    ['a zero amount', { amount: '0.00' }],
    ['a signed amount', { amount: '-5' }],
    ['an amount with an exponent', { amount: '1e3' }],
    ['a number for an external id', { externalId: 12 }],
    ['a lower-case currency', { currency: 'xaf' }],
    ['no payer', { payer: undefined }],
    ['another party type', payer('237670000001', 'EMAIL')],
    ['a plus before the number', payer('+237670000001')],
    ['a number for a number', payer(237_670_000_001)],
    ['an apostrophe in the message', { payerMessage: "l'achat" }],
    ['an apostrophe in the note', { payeeNote: "l'achat" }],
    ['an ampersand in the note', { payeeNote: 'A & B' }],
    ['161 characters of message', { payerMessage: 'x'.repeat(161) }],
    ['161 characters of note', { payeeNote: 'x'.repeat(161) }],
  ])('for %s', async (_name, body) => {
    const answer = await submit(rails, { body })
    expect(core(answer)).toEqual({ status: 400, body: '' })
    expect(core(await query(rails, answer.reference)), 'nothing was accepted').toEqual(walletNotFound)
    expect(await rails.control.listPrompts()).toEqual([])
  })

  test.each([
    ['a reference that is no UUID', { 'x-reference-id': 'order-1' }],
    ['a UUID of version 7', { 'x-reference-id': '019a0000-0000-7000-8000-000000000000' }],
    ['no reference', { 'x-reference-id': undefined }],
    ['no target environment', { 'x-target-environment': undefined }],
    ['another content type', { 'content-type': 'text/plain' }],
    ['an empty callback URL', { 'x-callback-url': '' }],
    ['an invalid callback URL', { 'x-callback-url': 'shop' }],
    ['a callback URL of another scheme', { 'x-callback-url': 'ftp://shop.example/' }],
  ])('for %s', async (_name, headers) => {
    expect(core(await submit(rails, { headers }))).toEqual({ status: 400, body: '' })
  })

  test.each(['', '{', '[]', 'null'])('for the body %j', async (text) => {
    expect(core(await submit(rails, { text }))).toEqual({ status: 400, body: '' })
  })
})

test('a note may have 160 characters', async () => {
  const note = 'x'.repeat(160)
  expect((await submit(rails, { body: { payerMessage: note, payeeNote: note } })).status).toBe(202)
})

test('a body above the limit is refused and the server keeps running', async () => {
  const text = JSON.stringify({ ...paymentBody('payer', '237670000001'), padding: 'x'.repeat(70_000) })
  expect((await submit(rails, { text })).status).toBe(413)
  expect((await submit(rails)).status).toBe(202)
})

describe('a definite refusal with HTTP 500', () => {
  test('INVALID_CURRENCY for a currency that is not the environment’s', async () => {
    expect(core(await submit(rails, { body: { currency: 'EUR' } }))).toEqual({
      status: 500,
      body: { code: 'INVALID_CURRENCY', message: 'Currency not supported.' },
    })
  })

  test('PAYER_NOT_FOUND for a number without a country code', async () => {
    expect(core(await submit(rails, { msisdn: '670000001' }))).toEqual({
      status: 500,
      body: { code: 'PAYER_NOT_FOUND', message: 'Payer does not exist.' },
    })
  })

  test('INVALID_CALLBACK_URL_HOST for any host but the registered one, also for IP addresses', async () => {
    await rails.control.updateSettings({ mtn: { providerCallbackHost: 'pay.shop.example' } })
    const refused = {
      status: 500,
      body: {
        code: 'INVALID_CALLBACK_URL_HOST',
        message: 'Callback URL with different host name then configured for API User.',
      },
    }
    const withUrl = (callbackUrl: string) => submit(rails, { callbackUrl })
    expect(core(await withUrl('https://shop.example/cb'))).toEqual(refused)
    expect(core(await withUrl('https://127.0.0.1/cb'))).toEqual(refused)
    expect(core(await withUrl('https://pay.shop.example:8443/cb?c=1'))).toEqual(accepted)
    expect(core(await submit(rails)), 'the header is optional').toEqual(accepted)
  })
})

describe('a used reference', () => {
  test.each([
    ['is pending', '237670000000', 0],
    ['succeeded', '237670000001', 2_000],
    ['failed', '237670000450', 2_000],
  ])('is a 409 if its charge %s, even with another body', async (_name, msisdn, advanceMs) => {
    const { reference } = await submit(rails, { msisdn })
    await rails.control.advanceClock(advanceMs)
    expect(core(await submit(rails, { msisdn, reference }))).toEqual(duplicate)
    expect(core(await submit(rails, { reference, body: { amount: '7' } }))).toEqual(duplicate)
    expect(await rails.control.listPrompts()).toHaveLength(1)
  })

  test('is free after a refusal, which accepted nothing', async () => {
    const { reference } = await submit(rails, { body: { currency: 'EUR' } })
    expect(core(await submit(rails, { reference }))).toEqual(accepted)
  })
})

test('a reference in a path that is not a UUID is a 400', async () => {
  expect(core(await query(rails, 'order-1'))).toEqual({ status: 400, body: '' })
})
