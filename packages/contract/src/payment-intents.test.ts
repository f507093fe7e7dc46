import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import {
  cancelPaymentIntent,
  confirmPaymentIntent,
  createPaymentIntent,
  listPaymentIntents,
  retrievePaymentIntent,
} from './payment-intents.ts'

const create = createPaymentIntent.body as z.ZodType
const confirm = confirmPaymentIntent.body as z.ZodType
const cancel = cancelPaymentIntent.body as z.ZodType

const created = { amount: '1000', currency: 'xaf', payment_method_types: { '0': 'mtn_momo_cm' } }
const confirmed = { payment_method_data: { mtn_momo_cm: { msisdn: '677000001' } } }

/** The path and the message of each fault in a body. */
const faults = (schema: z.ZodType, body: unknown) =>
  (schema.safeParse(body).error?.issues ?? []).map(({ path, message }) => [path.join('.'), message])

describe('a create', () => {
  test('requires only an amount, a currency and rails', () => {
    expect(create.parse(created)).toEqual({
      amount: 1000,
      currency: 'XAF',
      payment_method_types: ['mtn_momo_cm'],
      customer: null,
      description: null,
    })
    expect(faults(create, {})).toEqual([
      ['amount', 'is required'],
      ['currency', 'is required'],
      ['payment_method_types', 'is required and must be a list'],
    ])
  })

  test('with only automatic_payment_methods lacks its rails [§4.3.1]', () => {
    const body = { amount: '1', currency: 'EUR', automatic_payment_methods: { enabled: 'true' } }
    expect(faults(create, body)).toEqual([['payment_method_types', 'is required and must be a list']])
  })

  test('accepts no other confirm than false [§4.3.2]', () => {
    expect(faults(create, { ...created, confirm: 'false' })).toEqual([])
    for (const value of ['true', '', '0', 'FALSE']) {
      expect(faults(create, { ...created, confirm: value })).toEqual([
        ['confirm', 'only false is accepted; confirm in a separate call'],
      ])
    }
  })

  test('accepts a description of at most 1000 characters', () => {
    expect(create.parse({ ...created, description: 'd'.repeat(1000) })).toMatchObject({
      description: 'd'.repeat(1000),
    })
    expect(faults(create, { ...created, description: 'd'.repeat(1001) })).toEqual([
      ['description', 'must have at most 1000 characters'],
    ])
  })
})

describe.each([
  ['create', create, created],
  ['confirm', confirm, confirmed],
])('a %s', (_name, schema, body) => {
  test.each(['application_fee_amount', 'transfer_data', 'on_behalf_of'])(
    'refuses %s by name [§4.3.3]',
    (field) => {
      for (const value of ['', '1', { destination: 'acct' }]) {
        expect(faults(schema, { ...body, [field]: value })).toEqual([[field, 'is not supported']])
      }
    },
  )

  test('refuses any capture_method but automatic [§4.3.3]', () => {
    expect(faults(schema, { ...body, capture_method: 'automatic' })).toEqual([])
    expect(faults(schema, { ...body, capture_method: 'manual' })).toEqual([
      ['capture_method', 'only automatic capture is supported'],
    ])
  })

  test.each(['capture_method', 'application_fee_amount', 'transfer_data', 'on_behalf_of'])(
    'names a refused %s before any other fault',
    (field) => {
      const wrong = { amount: '0', currency: '', payment_method_data: '', return_url: {}, metadata: '' }
      expect(faults(schema, { ...wrong, [field]: 'x' })[0]?.[0]).toBe(field)
    },
  )

  test('drops the parameters that the interface ignores [§4.3.4]', () => {
    const ignored = {
      setup_future_usage: 'off_session',
      confirmation_method: 'manual',
      receipt_email: 'a@b.example',
      statement_descriptor: 's',
      expand: { '0': 'customer' },
    }
    expect(schema.parse({ ...body, ...ignored })).toEqual(schema.parse(body))
  })
})

describe('a confirm', () => {
  test('keeps what only the deployment can validate', () => {
    expect(
      confirm.parse({ ...confirmed, customer: '', return_url: 'https://a.example', locale: 'en' }),
    ).toEqual({
      ...confirmed,
      customer: null,
      return_url: 'https://a.example',
      locale: 'en',
    })
  })

  test('requires payment_method_data', () => {
    for (const body of [{}, { payment_method_data: 'x' }]) {
      expect(faults(confirm, body)).toEqual([['payment_method_data', 'is required and must be a map']])
    }
  })

  test('keeps every rail for the command to count, whatever its name', () => {
    const data = Object.assign(Object.create(null), { mtn_momo_cm: {} }) as Record<string, unknown>
    data['__proto__'] = {}
    const parsed = confirm.parse({ payment_method_data: data }) as { payment_method_data: object }
    expect(Object.keys(parsed.payment_method_data)).toEqual(['mtn_momo_cm', '__proto__'])
  })

  test('accepts the locales fr and en only', () => {
    expect(faults(confirm, { ...confirmed, locale: 'de' })).toEqual([['locale', 'must be fr or en']])
  })
})

test('a cancel accepts one of four reasons', () => {
  expect(cancel.parse({})).toEqual({})
  expect(cancel.parse({ cancellation_reason: 'abandoned' })).toEqual({ cancellation_reason: 'abandoned' })
  expect(faults(cancel, { cancellation_reason: 'bored' })).toEqual([
    ['cancellation_reason', 'must be one of duplicate, fraudulent, requested_by_customer, abandoned'],
  ])
})

test('the routes are those of the interface, and only create answers 201 [§4.2]', () => {
  const operations = [
    createPaymentIntent,
    retrievePaymentIntent,
    confirmPaymentIntent,
    cancelPaymentIntent,
    listPaymentIntents,
  ]
  expect(operations.map(({ method, path, ok }) => `${method} ${path} ${ok.status}`)).toEqual([
    'POST /v1/payment_intents 201',
    'GET /v1/payment_intents/{id} 200',
    'POST /v1/payment_intents/{id}/confirm 200',
    'POST /v1/payment_intents/{id}/cancel 200',
    'GET /v1/payment_intents 200',
  ])
})
