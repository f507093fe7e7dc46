import { Refusal } from '@merchant-payments/contract'
import { describe, expect, test } from 'vitest'
import { makeRail, PUSH, REDIRECT } from '../../test/make.ts'
import type { RailCode } from '../rails/port.ts'
import { type ConfirmParams, parseInstrument } from './instrument.ts'

const push = makeRail(PUSH)
const redirect = makeRail(REDIRECT)
/** As Orange Money. */
const choosy = makeRail('choosy_rail' as RailCode, { ...redirect.capabilities, namedHostsOnly: true })
const rails = new Map([push, redirect, choosy].map((rail) => [rail.code, rail]))
const deployment = { livemode: true, publicBaseUrl: 'https://api.example', defaultCountryCode: '237' }

const parse = (params: Partial<ConfirmParams>, livemode = true) =>
  parseInstrument(
    { rails, deployment: { ...deployment, livemode } },
    { paymentMethodData: {}, customer: null, returnUrl: null, locale: null, ...params },
  )

/** The parameter and the message of a refusal. */
function fault(params: Partial<ConfirmParams>) {
  const parsed = parse(params)
  return parsed instanceof Refusal ? [parsed.param, parsed.message] : parsed
}

describe('a push rail', () => {
  test('takes a number in any spelling, and no return address', () => {
    const paymentMethodData = { [PUSH]: { msisdn: '+237 6 77 00 00 01' }, type: PUSH }
    expect(parse({ paymentMethodData, returnUrl: 'nonsense' })).toEqual({
      rail: push,
      payer: '237677000001',
      returnUrl: null,
    })
  })

  test.each([
    [{}, 'is required'],
    [{ msisdn: '' }, 'is required'],
    ['677000001', 'is required'],
    [{ msisdn: { a: 'b' } }, 'must be a string'],
    [{ msisdn: '12' }, 'must be a phone number with a country code, such as +237 6 70 00 00 01'],
  ])('names the number when it is %j', (instrument, message) => {
    expect(fault({ paymentMethodData: { [PUSH]: instrument } })).toEqual([
      'payment_method_data[push_rail][msisdn]',
      message,
    ])
  })
})

describe('a redirect rail', () => {
  const paymentMethodData = { [REDIRECT]: {} }

  test('takes a return address, and needs no number', () => {
    expect(parse({ paymentMethodData, returnUrl: 'https://shop.example/back?a=1' })).toEqual({
      rail: redirect,
      payer: null,
      returnUrl: 'https://shop.example/back?a=1',
    })
  })

  test('needs the return address', () => {
    expect(fault({ paymentMethodData })).toEqual([
      'return_url',
      'is required on a rail that redirects the payer',
    ])
  })

  test.each(['http://shop.example', 'javascript:alert(1)', 'shop.example', '/back', 'data:text/html,x'])(
    'never returns the payer to %s',
    (returnUrl) => {
      expect(fault({ paymentMethodData, returnUrl })).toEqual([
        'return_url',
        expect.stringMatching(/^must be an https address/),
      ])
    },
  )

  test('returns to plain http outside livemode only', () => {
    const returnUrl = 'http://localhost:3000/back'
    expect(parse({ paymentMethodData, returnUrl }, false)).toMatchObject({ returnUrl })
    expect(fault({ paymentMethodData, returnUrl })).toEqual([
      'return_url',
      expect.stringMatching(/^must be an https address/),
    ])
  })
})

describe('a rail that takes only hosts with a name', () => {
  const paymentMethodData = { [choosy.code]: {} }

  test.each([
    'https://localhost/back',
    'https://LOCALHOST.:3000/back',
    'https://shop.localhost/back',
    'https://127.0.0.1/back',
    'https://127.1.2.3/back',
    'https://2130706433/back',
    'https://203.0.113.7/back',
    'https://[::1]/back',
    'https://[2001:db8::1]:8443/back',
  ])('never returns the payer to %s in livemode', (returnUrl) => {
    expect(fault({ paymentMethodData, returnUrl })).toEqual([
      'return_url',
      'must have the name of a public host on this rail, no IP address and not localhost',
    ])
    expect(parse({ paymentMethodData, returnUrl }, false)).toMatchObject({ rail: choosy })
    expect(parse({ paymentMethodData: { [REDIRECT]: {} }, returnUrl })).toMatchObject({ rail: redirect })
  })

  test.each(['https://localhost.example/back', 'https://127.0.0.1.example/back', 'https://mylocalhost/back'])(
    'returns the payer to %s',
    (returnUrl) => {
      expect(parse({ paymentMethodData, returnUrl })).toMatchObject({ returnUrl })
    },
  )
})

describe('payment_method_data', () => {
  test.each([[{}], [{ type: '' }], [{ type: {} }], [{ [PUSH]: {}, [REDIRECT]: {} }]])(
    'names exactly one rail: %j',
    (data) => {
      expect(fault({ paymentMethodData: data })).toEqual([
        'payment_method_data',
        'must name exactly one rail, as payment_method_data[<rail_code>][msisdn]',
      ])
    },
  )

  test('may name the rail by its type alone, which is enough for a rail without an instrument', () => {
    const returnUrl = 'https://shop.example/back'
    expect(parse({ paymentMethodData: { type: REDIRECT }, returnUrl })).toEqual({
      rail: redirect,
      payer: null,
      returnUrl,
    })
    expect(fault({ paymentMethodData: { type: PUSH } })).toEqual([
      'payment_method_data[push_rail][msisdn]',
      'is required',
    ])
  })

  test.each(['other_rail', 'constructor', 'toString'])('names a rail that is enabled, not %s', (code) => {
    expect(fault({ paymentMethodData: { [code]: {} } })).toEqual([
      `payment_method_data[${code}]`,
      'is not a rail that this deployment enables',
    ])
  })

  test.each([REDIRECT, '', { a: 'b' }])('has a type that agrees, not %j', (type) => {
    expect(fault({ paymentMethodData: { [PUSH]: { msisdn: '677000001' }, type } })).toEqual([
      'payment_method_data[type]',
      'must be push_rail',
    ])
  })

  test('beside an ill-formed customer is the same 400 as an unknown one', () => {
    const paymentMethodData = { [PUSH]: { msisdn: '677000001' } }
    expect(fault({ paymentMethodData, customer: 'cus_1' })).toEqual(['customer', 'No such customer.'])
  })
})
