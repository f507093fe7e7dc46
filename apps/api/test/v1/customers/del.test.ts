import { afterAll, describe, expect, test } from 'vitest'
import {
  createCustomer,
  createCustomerCall,
  deleteCustomerCall,
  readCustomer,
  updateCustomerCall,
  wholeForm,
} from '../../customer-steps.ts'
import { settle, startTestApi } from '../../harness.ts'
import { redactedIdentifiers, requestOf } from '../../rows.ts'
import { confirmCall, confirmForm, createIntent, eventsOf, eventTypesOf } from '../../steps.ts'
import { strangeIds } from '../strange-ids.ts'

const api = await startTestApi()
afterAll(() => api.stop())

const remove = (id: string) => api.call(deleteCustomerCall(id))
const deleted = (id: string) => ({ id, object: 'customer', deleted: true })

describe('200', () => {
  test('a customer of a payment intent is kept without identifiers, and its metadata does not change [§3.2]', async () => {
    const customer = await createCustomer(api, wholeForm)
    await createIntent(api, `&customer=${customer.id}`)
    const answer = await remove(customer.id)
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: deleted(customer.id) })
    expect(answer).toHaveRequestId()
    expect((await readCustomer(api, customer.id)).body).toEqual({
      ...customer,
      ...redactedIdentifiers,
      deleted: true,
    })
  })

  test('an unreferenced customer is removed [§3.2]', async () => {
    const { id } = await createCustomer(api, wholeForm)
    expect((await remove(id)).body).toEqual(deleted(id))
    expect(await readCustomer(api, id)).toBeRefusal('resource_missing')
    expect((await api.call({ path: '/v1/customers?limit=100' })).text).not.toContain(id)
  })

  test.each([
    ['kept', true],
    ['removed', false],
  ])(
    'of one that is %s, the event says so, and the earlier ones keep no identifier [§3.2, §6.1, §6.2]',
    async (_, isNamed) => {
      const customer = await createCustomer(api, wholeForm)
      if (isNamed) await createIntent(api, `&customer=${customer.id}`)
      const { body: updated } = await api.call(updateCustomerCall(customer.id, 'name=Binta'))
      await remove(customer.id)
      const events = await eventsOf(api, customer.id)
      expect(events.map(({ type, data }) => [type, data.object])).toEqual([
        ['customer.created', { ...customer, ...redactedIdentifiers }],
        ['customer.updated', { ...updated, ...redactedIdentifiers }],
        ['customer.deleted', { ...customer, ...redactedIdentifiers, deleted: true }],
      ])
    },
  )

  test('of one whose metadata names a payment that another customer then tried again, redacts its own events only [§3.2]', async () => {
    const intent = await createIntent(api)
    await api.call(confirmCall(intent.id, 'declines'))
    await settle(api)
    const buyer = await createCustomer(api, `${wholeForm}&metadata[failed_payment]=${intent.id}`)
    const payer = await createCustomer(api, wholeForm)
    await api.call({ ...confirmCall(intent.id), form: `${confirmForm()}&customer=${payer.id}` })
    const namesOf = async (id: string) => (await eventsOf(api, id)).map(({ data }) => data.object['name'])

    await remove(payer.id)
    expect(await namesOf(buyer.id)).toEqual([buyer.name])
    await remove(buyer.id)
    expect(await namesOf(buyer.id)).toEqual(['[redacted]', '[redacted]'])
  })

  test('a repetition for an erased customer has the same answer and no second event [§3.2, §4.2]', async () => {
    const { id } = await createCustomer(api)
    await createIntent(api, `&customer=${id}`)
    const [first, second] = [await remove(id), await remove(id)]
    expect({ status: second.status, text: second.text }).toEqual({ status: first.status, text: first.text })
    expect(await eventTypesOf(api, id)).toEqual(['customer.created', 'customer.deleted'])
  })

  test('each event has the id of its request', async () => {
    const created = await api.call(createCustomerCall('name=Awa'))
    const { id } = created.body
    const answers = [created, await api.call(updateCustomerCall(id, 'name=Binta')), await remove(id)]
    const events = await eventsOf(api, id)
    const requests = await Promise.all(events.map((event) => requestOf(api, event.id)))
    expect(requests).toEqual(answers.map(({ headers }) => headers['request-id']))
  })

  test('of many concurrent requests, one erases', async () => {
    const { id } = await createCustomer(api)
    await createIntent(api, `&customer=${id}`)
    const answers = await Promise.all(Array.from({ length: 10 }, () => remove(id)))
    expect(answers.map(({ body }) => body)).toEqual(answers.map(() => deleted(id)))
    expect(await eventTypesOf(api, id)).toEqual(['customer.created', 'customer.deleted'])
  })

  test.each([
    ['kept', true],
    ['removed', false],
  ])('a request whose customer was %s is still replayed, without identifiers [§3.2]', async (_, isNamed) => {
    const call = createCustomerCall(wholeForm, { key: `create-${isNamed}` })
    const { status, body: customer } = await api.call(call)
    if (isNamed) await createIntent(api, `&customer=${customer.id}`)
    const change = updateCustomerCall(customer.id, 'name=Binta', { key: `update-${isNamed}` })
    await api.call(change)
    await remove(customer.id)
    for (const replayed of [await api.call(call), await api.call(change)]) {
      expect(replayed.headers['idempotent-replayed']).toBe('true')
      expect({ status: replayed.status, body: replayed.body }).toEqual({
        status,
        body: { ...customer, ...redactedIdentifiers },
      })
    }
  })

  test('key, body and content type are optional and ignored', async () => {
    const extras = [
      { key: 'a-key' },
      { headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      { form: 'name=x' },
      { form: '{"a":', headers: { 'content-type': 'application/json' } },
    ]
    for (const extra of extras) {
      const { id } = await createCustomer(api)
      expect((await api.call({ ...deleteCustomerCall(id), ...extra })).body).toEqual(deleted(id))
    }
    const { id } = await createCustomer(api)
    const withQuery = { method: 'DELETE', path: `/v1/customers/${id}?idempotencyKey=k&a=%zz` } as const
    expect((await api.call(withQuery)).body).toEqual(deleted(id))
  })
})

describe('404', () => {
  test('a foreign, an unknown, a removed and an ill-formed id have the same answer, byte for byte [§4.2]', async () => {
    const customer = await createCustomer(api)
    const foreign = await api.call(deleteCustomerCall(customer.id, { merchant: 'globex' }))
    expect(foreign).toBeRefusal('resource_missing')
    for (const strange of strangeIds(customer.id)) {
      const answer = await remove(strange)
      expect([strange, answer.text]).toEqual([strange, foreign.text])
      expect(answer).toBeRefusal('resource_missing')
    }
    expect((await readCustomer(api, customer.id)).body).toEqual(customer)
    await remove(customer.id)
    expect((await remove(customer.id)).text).toBe(foreign.text)
  })
})

describe('an erased customer', () => {
  test('cannot be changed or used', async () => {
    const { id } = await createCustomer(api)
    const intent = await createIntent(api, `&customer=${id}`)
    await remove(id)
    expect(await api.call(updateCustomerCall(id, 'name=Awa'))).toBeRefusal('customer_erased')
    const named = await api.call({
      path: '/v1/payment_intents',
      form: `amount=1&currency=XAF&customer=${id}`,
    })
    expect(named.status).toBe(400)
    expect((await api.call({ path: `/v1/payment_intents/${intent.id}` })).body.customer).toBe(id)
  })
})

test('a concurrent use and delete leave an intent of an erased customer, or a removed customer without an intent', async () => {
  for (let n = 0; n < 20; n += 1) {
    const { id } = await createCustomer(api, wholeForm)
    const form = `amount=1&currency=XAF&payment_method_types[0]=mtn_momo_cm&customer=${id}`
    const [named] = await Promise.all([api.call({ path: '/v1/payment_intents', form }), remove(id)])
    const read = await readCustomer(api, id)
    if (named.status === 201) expect(read.body).toMatchObject({ ...redactedIdentifiers, deleted: true })
    else {
      // The erasure came first: it was still running, or had removed the customer.
      const code = named.status === 409 ? 'customer_erased' : 'invalid_request'
      expect(named).toBeRefusal(code, 'customer')
      expect(read).toBeRefusal('resource_missing')
    }
    expect(await eventTypesOf(api, id)).toEqual(['customer.created', 'customer.deleted'])
  }
})
