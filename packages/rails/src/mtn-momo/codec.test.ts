import type { MerchantId, Msisdn, PaymentIntentId, RefundId } from '@merchant-payments/core'
import { describe, expect, test } from 'vitest'
import { parseObject } from '../answer.ts'
import {
  type Money,
  parseCallbackBody,
  parseCallbackQuery,
  readMoney,
  readReason,
  renderCharge,
  renderRefund,
  UNREADABLE_AMOUNT,
} from './codec.ts'

const XAF: Money = { settlementCurrency: 'XAF', wireCurrency: 'XAF' }
const EUR: Money = { settlementCurrency: 'EUR', wireCurrency: 'EUR' }
const SANDBOX: Money = { settlementCurrency: 'XAF', wireCurrency: 'EUR' }
const reference = '7f3b4f0e-93f5-4b1c-8a6e-0b6f2d9c1a55'
const bytes = (text: string) => new TextEncoder().encode(text)

const charge = {
  reference,
  merchantId: 'acme' as MerchantId,
  object: 'pi_1' as PaymentIntentId,
  amountMinor: 1000,
  currency: 'XAF',
  payer: '237670000001' as Msisdn,
  locale: 'fr',
  callbackUrl: null,
  returnUrl: null,
  deadlineMs: 0,
} as const

describe('a request', () => {
  test('a charge has the documented body, with our reference as externalId', () => {
    expect(JSON.parse(renderCharge(charge, XAF))).toEqual({
      amount: '1000',
      currency: 'XAF',
      externalId: reference,
      payer: { partyIdType: 'MSISDN', partyId: '237670000001' },
      payerMessage: 'Paiement par Mobile Money',
      payeeNote: 'Paiement par Mobile Money',
    })
  })

  test('a refund names its payee', () => {
    const refund = {
      reference,
      merchantId: 'acme' as MerchantId,
      object: 're_1' as RefundId,
      amountMinor: 5,
      currency: 'EUR',
      destination: '237670000002' as Msisdn,
      deadlineMs: 0,
    } as const
    expect(JSON.parse(renderRefund(refund, EUR))).toEqual({
      amount: '0.05',
      currency: 'EUR',
      externalId: reference,
      payee: { partyIdType: 'MSISDN', partyId: '237670000002' },
      payerMessage: 'Remboursement Mobile Money',
      payeeNote: 'Remboursement Mobile Money',
    })
  })

  test.each(['fr', 'en', null] as const)('the notes in %s fit the rail’s alphabet and length', (locale) => {
    const { payerMessage, payeeNote } = JSON.parse(renderCharge({ ...charge, locale }, XAF))
    for (const note of [payerMessage, payeeNote]) expect(note).toMatch(/^[A-Za-z0-9 ]{1,160}$/)
  })

  test.each([
    [1, XAF, '1'],
    [99_999_999, XAF, '99999999'],
    [1, EUR, '0.01'],
    [10, EUR, '0.10'],
    [100, EUR, '1.00'],
    [1234, EUR, '12.34'],
    [99_999_999, EUR, '999999.99'],
    [1000, SANDBOX, '10.00'],
  ])('%d minor units are written exactly', (amountMinor, money, amount) => {
    const sent = JSON.parse(renderCharge({ ...charge, amountMinor }, money))
    expect({ amount: sent.amount, currency: sent.currency }).toEqual({ amount, currency: money.wireCurrency })
    expect(readMoney(sent, money)).toEqual({ amountMinor, currency: money.settlementCurrency })
  })
})

describe('amounts in answers', () => {
  test.each([
    ['"1000"', XAF, 1000],
    ['1000', XAF, 1000],
    ['"5.0"', XAF, 5],
    ['5.0', XAF, 5],
    ['"0005"', XAF, 5],
    ['"5.000"', EUR, 500],
    ['12.3', EUR, 1230],
    ['"12.34"', EUR, 1234],
    ['9007199254740991', XAF, UNREADABLE_AMOUNT],
    ['"90071992547409.93"', EUR, UNREADABLE_AMOUNT],
    ['"5.5"', XAF, UNREADABLE_AMOUNT],
    ['"12.345"', EUR, UNREADABLE_AMOUNT],
    ['"-5"', XAF, UNREADABLE_AMOUNT],
    ['"1e3"', XAF, UNREADABLE_AMOUNT],
    ['1e3', XAF, UNREADABLE_AMOUNT],
    ['"1,000"', XAF, UNREADABLE_AMOUNT],
    ['" 5"', XAF, UNREADABLE_AMOUNT],
    ['"٥"', XAF, UNREADABLE_AMOUNT],
    ['""', XAF, UNREADABLE_AMOUNT],
    ['null', XAF, UNREADABLE_AMOUNT],
    ['["5"]', XAF, UNREADABLE_AMOUNT],
  ])('%s is read exactly or refused', (amount, money, amountMinor) => {
    const body = parseObject(bytes(`{"amount":${amount},"currency":"${money.wireCurrency}"}`)) ?? {}
    expect(readMoney(body, money)).toEqual({ amountMinor, currency: money.settlementCurrency })
  })

  test('a missing amount matches no charge', () => {
    expect(readMoney({}, XAF)).toEqual({ amountMinor: UNREADABLE_AMOUNT, currency: '' })
  })

  test('a currency that is a sentence is wrong, and is not kept', () => {
    const body = { amount: '5', currency: 'to 237670000001' }
    expect(readMoney(body, XAF)).toEqual({ amountMinor: 5, currency: '' })
  })

  test.each([
    ['5', 'UGX', XAF, 5],
    ['10.00', 'EUR', XAF, 1000],
    ['12.34', 'EUR', XAF, 1234],
    ['1000', 'XAF', EUR, 1000],
    ['5', 'XAF', SANDBOX, 5],
  ])('%s %s is reported in the minor units of its own currency', (amount, currency, money, amountMinor) => {
    expect(readMoney({ amount, currency }, money)).toEqual({ amountMinor, currency })
  })
})

describe('reasons', () => {
  test.each([
    ['NOT_ENOUGH_FUNDS', { railCode: 'NOT_ENOUGH_FUNDS', railMessage: null }],
    [
      { code: 'EXPIRED', message: 'Too late' },
      { railCode: 'EXPIRED', railMessage: 'Too late' },
    ],
    [{ message: 'Only words' }, { railCode: null, railMessage: 'Only words' }],
    [{}, { railCode: null, railMessage: null }],
    [undefined, { railCode: null, railMessage: null }],
    [null, { railCode: null, railMessage: null }],
    [['EXPIRED'], { railCode: null, railMessage: null }],
    [true, { railCode: null, railMessage: null }],
  ])('the reason %j is read in each of its forms', (reason, read) => {
    expect(readReason(reason)).toEqual(read)
  })
})

describe('callbacks', () => {
  const other = 'b4cb3a8e-57e3-4c50-9f2a-61f6b5f0a3d1'
  const found = (value: string) => ({ by: 'reference', value })

  test.each([
    ['our parameter', `ref=${reference}`, found(reference)],
    ['any case', `ref=${reference.toUpperCase()}`, found(reference)],
    ['no UUID', 'ref=order-5', null],
    ['another version of UUID', `ref=${reference.replace('-4b1c-', '-7b1c-')}`, null],
    ['nothing', '', null],
  ])('the address has %s', (_case, query, expected) => {
    expect(parseCallbackQuery(new URLSearchParams(query))).toEqual(expected)
  })

  test.each([
    ['our reference', `{"externalId":"${other}","status":"SUCCESSFUL"}`, found(other)],
    ['any case', `{"externalId":"${other.toUpperCase()}"}`, found(other)],
    ['no UUID', '{"externalId":"5"}', null],
    ['a number', '{"externalId":5}', null],
    ['garbage', '<xml/>', null],
    ['more than 4 KiB', `{"externalId":"${other}","x":"${'x'.repeat(4_096)}"}`, null],
    ['nothing', '', null],
  ])('the body has %s', (_case, body, expected) => {
    expect(parseCallbackBody(bytes(body))).toEqual(expected)
  })
})
