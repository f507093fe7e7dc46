import { currencies, errorKinds, intentStatuses, PaymentIntent } from '@merchant-payments/contract'
import { afterAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { startTestApi } from '../harness.ts'
import { createCall, createIntent, intentForm } from '../steps.ts'
import { browserOperations, operationCalls, operations } from '../v1/operations.ts'

const api = await startTestApi()
afterAll(() => api.stop())

/** The JSON Schema of an answer, which distinguishes integers from other numbers. */
const shapeOf = (schema: z.ZodType) =>
  JSON.stringify(z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }))

describe('every declared answer [§1.3, §2.1]', () => {
  test.each([...operations, ...browserOperations].map(({ id, ok }) => [id, ok.schema] as const))(
    'no number of any declared answer has a fraction: %s',
    (_, schema) => {
      expect(shapeOf(schema)).not.toContain('"type":"number"')
    },
  )

  test('a fraction would be detected', () => {
    expect(shapeOf(z.object({ amount: z.number() }))).toContain('"type":"number"')
  })

  test('money is XAF or EUR, in whole minor units [§8]', async () => {
    expect(currencies).toEqual(['XAF', 'EUR'])
    for (const currency of ['USD', 'XOF', 'GNF', '', 'XAFX']) {
      const form = intentForm.replace('XAF', currency)
      expect(await api.call(createCall(form))).toBeRefusal('invalid_request', 'currency')
    }
    for (const amount of ['50.00', '50.5', '5e3', '0']) {
      const form = intentForm.replace('5000', amount)
      expect(await api.call(createCall(form))).toBeRefusal('invalid_request', 'amount')
    }
  })
})

test('a payment intent has four statuses, and none of them is failed [§3.1]', () => {
  expect(intentStatuses).toEqual(['requires_payment_method', 'processing', 'succeeded', 'canceled'])
  expect(PaymentIntent.shape.status.options).toEqual(intentStatuses)
})

test('customers cannot be filtered by their e-mail address [§4.2]', async () => {
  const path = '/v1/customers?email=awa%40shop.example'
  expect(await api.call({ path })).toBeRefusal('invalid_request', 'email')
})

describe('every call of /v1 refuses a token for another audience [§5.7]', () => {
  test.each(operationCalls)('%s', async (_, call) => {
    const token = await api.tokenFor('acme', undefined, 'acme')
    expect(await api.call({ ...call, token })).toBeRefusal('authentication_error')
  })
})

test('no code of the catalogue is a 429 [§7.2, §8]', () => {
  const statuses = new Set<number>(Object.values(errorKinds).map(({ status }) => status))
  expect(statuses).not.toContain(429)
})

test('no version is advertised or echoed, whichever one a request names [§9.1, §9.2]', async () => {
  const { id } = await createIntent(api)
  const path = `/v1/payment_intents/${id}`
  const plain = await api.call({ path })
  const pinned = await api.call({ path, headers: { 'stripe-version': '2019-12-03', 'api-version': '7' } })
  expect(pinned.text).toBe(plain.text)
  expect(Object.keys(pinned.headers).toSorted()).toEqual(Object.keys(plain.headers).toSorted())
  const shown = Object.entries(pinned.headers).flat().join('\n')
  expect(shown).not.toMatch(/version|2019-12-03/i)
})
