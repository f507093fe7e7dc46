import { afterAll, describe, expect, test } from 'vitest'
import {
  createCustomer,
  readCustomer,
  updateCustomerCall,
  wholeAddress,
  wholeForm,
} from '../../customer-steps.ts'
import { startTestApi } from '../../harness.ts'
import { eraseCustomer, lastUseOf } from '../../rows.ts'
import { eventsOf, eventTypesOf } from '../../steps.ts'
import { strangeIds } from '../strange-ids.ts'

const api = await startTestApi()
afterAll(() => api.stop())

const update = (id: string, form: string) => api.call(updateCustomerCall(id, form))

describe('200', () => {
  test.each([
    ['a value sets a field', 'name=Binta', { name: 'Binta' }],
    ['an empty value clears it', 'email=', { email: null }],
    ['two of the three can be cleared', 'email=&name=', { email: null, name: null }],
    ['the last one can be swapped', 'email=&phone=&name=X', { email: null, phone: null, name: 'X' }],
    ['a phone is made canonical', 'phone=00237+670-000-009', { phone: '237670000009' }],
    ['an empty address clears it', 'address=', { address: null }],
    ['metadata merges key by key', 'metadata[a]=1', { metadata: { tier: 'gold', a: '1' } }],
    ['a key sent empty is removed', 'metadata[tier]=&metadata[b]=2', { metadata: { b: '2' } }],
  ])('%s, and nothing else changes [§2.2, §3.2, §4.4.1, §4.4.3, §6.1]', async (_, form, changes) => {
    const before = await createCustomer(api, wholeForm)
    const answer = await update(before.id, form)
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 200,
      body: { ...before, ...changes },
    })
    expect((await readCustomer(api, before.id)).body).toEqual(answer.body)
    expect(await eventsOf(api, before.id)).toMatchObject([
      { type: 'customer.created', data: { object: before } },
      { type: 'customer.updated', data: { object: answer.body } },
    ])
  })

  test('an address is replaced whole, with its coordinates [§2.2]', async () => {
    const { id } = await createCustomer(api, wholeForm)
    const nowhere = Object.fromEntries(Object.keys(wholeAddress).map((name) => [name, null]))
    expect((await update(id, 'address[city]=Kribi')).body.address).toEqual({ ...nowhere, city: 'Kribi' })
  })

  test.each([
    ['no body', ''],
    ['what is there already', 'name=Awa+Ngo&metadata[tier]=gold&phone=670000001'],
    ['the address that is there already', wholeForm],
    ['nothing but what is unknown', 'balance=5&deleted=true'],
    ['an address of nothing but unknown components', 'address[zip]=4711&address[postcode]='],
    ['the removal of a key that is not there', 'metadata[x]='],
  ])('%s changes nothing, writes no event, and is answered [§3.2, §4.4.4]', async (_, form) => {
    const before = await createCustomer(api, wholeForm)
    const usedAt = await lastUseOf(api, before.id)
    api.advance(1_000)
    const answer = await update(before.id, form)
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: before })
    expect(await eventTypesOf(api, before.id)).toEqual(['customer.created'])
    expect(await lastUseOf(api, before.id)).toBe(usedAt)
  })

  test('a change moves the last use forward; a clock that was set back does not move it back', async () => {
    const { id } = await createCustomer(api)
    api.advance(60_000)
    await update(id, 'name=Binta')
    const usedAt = await lastUseOf(api, id)
    expect(api.clock() - usedAt).toBeLessThan(30_000)
    api.advance(-60_000)
    await update(id, 'name=Chantal')
    expect(await lastUseOf(api, id)).toBe(usedAt)
  })

  test('an update without a body requires no content type, and its answer is stored under its key', async () => {
    const { id } = await createCustomer(api)
    const call = { method: 'POST', path: `/v1/customers/${id}`, key: 'bodiless' } as const
    const first = await api.call(call)
    await update(id, 'name=Binta')
    expect(await api.call(call)).toReplay(first)
    expect(first.body.name).toBe('Awa')
  })

  test('a replayed update has no second effect', async () => {
    const { id } = await createCustomer(api)
    const call = updateCustomerCall(id, 'name=Binta', { key: 'rename' })
    const first = await api.call(call)
    await update(id, 'name=Chantal')
    expect(await api.call(call)).toReplay(first)
    expect((await readCustomer(api, id)).body.name).toBe('Chantal')
    const updated = 'customer.updated'
    expect(await eventTypesOf(api, id)).toEqual(['customer.created', updated, updated])
  })

  test('an empty value in place of the map removes all keys [§4.4.1]', async () => {
    const { id } = await createCustomer(api, 'name=A&metadata[a]=1&metadata[b]=2')
    expect((await update(id, 'metadata=')).body).toMatchObject({ name: 'A', metadata: {} })
    expect(await eventTypesOf(api, id)).toEqual(['customer.created', 'customer.updated'])
  })

  test('one request can exchange fifty keys for fifty others', async () => {
    const pairs = (prefix: string, value: string) =>
      Array.from({ length: 50 }, (_, n) => `metadata[${prefix}${n}]=${value}`).join('&')
    const { id } = await createCustomer(api, `name=A&${pairs('a', 'x')}`)
    const { body } = await update(id, `${pairs('a', '')}&${pairs('b', 'y')}`)
    expect(Object.keys(body.metadata)).toHaveLength(50)
    expect(body.metadata).toHaveProperty('b49', 'y')
  })

  test('concurrent updates of different fields all take effect, each with its event [§6.1]', async () => {
    const { id } = await createCustomer(api)
    const forms = [
      'email=a%40b.cm',
      'phone=670000001',
      'address[city]=Kribi',
      'metadata[a]=1',
      'metadata[b]=2',
    ]
    const answers = await Promise.all(forms.map((form) => update(id, form)))
    expect(answers.map(({ status }) => status)).toEqual(forms.map(() => 200))
    expect((await readCustomer(api, id)).body).toMatchObject({
      name: 'Awa',
      email: 'a@b.cm',
      phone: '237670000001',
      address: { city: 'Kribi' },
      metadata: { a: '1', b: '2' },
    })
    expect(await eventTypesOf(api, id)).toHaveLength(1 + forms.length)
  })
})

describe('400', () => {
  test.each([
    ['the only one', 'name=Awa', 'name=', 'name'],
    ['the last of two', 'name=Awa&phone=670000001', 'phone=&name=', 'phone'],
    ['all of them', wholeForm, 'name=&email=&phone=', 'phone'],
  ])('clearing %s is refused, and changes nothing [§4.4.2]', async (_, before, form, param) => {
    const customer = await createCustomer(api, before)
    expect(await update(customer.id, form)).toBeRefusal('invalid_request', param)
    expect((await readCustomer(api, customer.id)).body).toEqual(customer)
    expect(await eventTypesOf(api, customer.id)).toEqual(['customer.created'])
  })

  test.each([
    [
      'a fraction of a degree',
      'address[latitude_microdeg]=4.05&address[longitude_microdeg]=9.7',
      'address[latitude_microdeg]',
    ],
    ['one coordinate', 'address[latitude_microdeg]=4', 'address[longitude_microdeg]'],
    ['a bad phone', 'phone=12', 'phone'],
    ['a bad country', 'address[country]=Cameroon', 'address[country]'],
    ['an address that is a value', 'address=x', 'address'],
  ])('%s is refused by name', async (_, form, param) => {
    const { id } = await createCustomer(api, wholeForm)
    expect(await update(id, form)).toBeRefusal('invalid_request', param)
  })

  test('the limit of 50 keys applies to the merged result', async () => {
    const pairs = Array.from({ length: 50 }, (_, n) => `metadata[k${n}]=v`).join('&')
    const { id } = await createCustomer(api, `name=A&${pairs}`)
    expect(await update(id, 'metadata[one_more]=v')).toBeRefusal('invalid_request', 'metadata')
    expect((await update(id, 'metadata[k0]=w')).status).toBe(200)
  })
})

describe('404', () => {
  test('a foreign, an unknown and an ill-formed id have the same answer, byte for byte', async () => {
    const customer = await createCustomer(api)
    const foreign = await api.call(updateCustomerCall(customer.id, 'name=X', { merchant: 'globex' }))
    expect(foreign).toBeRefusal('resource_missing')
    for (const strange of strangeIds(customer.id)) {
      const answer = await update(strange, 'name=X')
      expect([strange, answer.text]).toEqual([strange, foreign.text])
      expect(answer).toBeRefusal('resource_missing')
    }
    expect((await readCustomer(api, customer.id)).body).toEqual(customer)
  })
})

describe('409', () => {
  test('an erased customer cannot be changed, not even by an empty update [§3.2, §7.2]', async () => {
    const { id } = await createCustomer(api)
    await eraseCustomer(api, id)
    for (const form of ['name=Awa', '']) expect(await update(id, form)).toBeRefusal('customer_erased')
    expect(await eventTypesOf(api, id)).toEqual(['customer.created'])
  })
})
