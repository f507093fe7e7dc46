import { afterAll, describe, expect, test } from 'vitest'
import {
  createCustomer,
  createCustomerCall,
  readCustomer,
  wholeAddress,
  wholeForm,
} from '../../customer-steps.ts'
import { startTestApi } from '../../harness.ts'
import { lastUseOf } from '../../rows.ts'
import { eventsOf } from '../../steps.ts'

const api = await startTestApi()
afterAll(() => api.stop())

const create = (form: string) => api.call(createCustomerCall(form))

describe('200', () => {
  test('the body is the complete customer, as later reads show it [§2.2, §2.2.3]', async () => {
    const answer = await create(wholeForm)
    expect(answer.status).toBe(200)
    expect(answer).toHaveRequestId()
    expect(answer.headers).not.toHaveProperty('compat-should-retry')
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^cus_[0-9a-f]{32}$/),
      object: 'customer',
      name: 'Awa Ngo',
      email: 'awa@shop.example',
      phone: '237670000001',
      address: wholeAddress,
      metadata: { tier: 'gold' },
      created: Math.floor(Number.parseInt(answer.body.id.slice(4, 16), 16) / 1000),
      livemode: false,
    })
    expect((await readCustomer(api, answer.body.id)).body).toEqual(answer.body)
    expect(api.clock() - (await lastUseOf(api, answer.body.id))).toBeLessThan(60_000)
  })

  test('one event is written with it, whose snapshot is the answer [§3.2, §6.1]', async () => {
    const customer = await createCustomer(api, wholeForm)
    expect(await eventsOf(api, customer.id)).toEqual([
      {
        id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
        object: 'event',
        type: 'customer.created',
        created: customer.created,
        livemode: false,
        data: { object: customer },
      },
    ])
  })

  test.each([
    ['name', 'name=Awa', { name: 'Awa' }],
    ['email', 'email=a%40b.cm', { email: 'a@b.cm' }],
    ['phone', 'phone=670000001', { phone: '237670000001' }],
  ])('%s alone is sufficient [§2.2.1]', async (_, form, known) => {
    const nothing = { name: null, email: null, phone: null, address: null, metadata: {} }
    expect(await createCustomer(api, form)).toMatchObject({ ...nothing, ...known })
  })

  test.each([
    '670000001',
    '237670000001',
    '%2B237670000001',
    '%2B237+6+70+00+00+01',
    '00237670000001',
    'tel:%2B237-670-000-001',
    '%D9%A6%D9%A7%D9%A0%D9%A0%D9%A0%D9%A0%D9%A0%D9%A0%D9%A1',
  ])('the spelling %s gives the same number [§2.2]', async (spelling) => {
    expect(await createCustomer(api, `phone=${spelling}`)).toMatchObject({ phone: '237670000001' })
  })

  test.each([
    ['one component', 'address[city]=Douala', { city: 'Douala' }],
    ['a country in lower case', 'address[country]=fr', { country: 'FR' }],
    ['a country that no list has', 'address[country]=zz', { country: 'ZZ' }],
    [
      'the extreme coordinates',
      'address[latitude_microdeg]=-90000000&address[longitude_microdeg]=180000000',
      { latitude_microdeg: -90_000_000, longitude_microdeg: 180_000_000 },
    ],
    [
      'the middle of the map',
      'address[latitude_microdeg]=0&address[longitude_microdeg]=0',
      { latitude_microdeg: 0, longitude_microdeg: 0 },
    ],
    ['an empty component beside another', 'address[line1]=&address[city]=Douala', { city: 'Douala' }],
    ['a component that there is not', 'address[planet]=Mars&address[city]=Douala', { city: 'Douala' }],
  ])('an address of %s has null for the other components [§2.2]', async (_, form, known) => {
    const nowhere = Object.fromEntries(Object.keys(wholeAddress).map((name) => [name, null]))
    expect((await createCustomer(api, `name=Awa&${form}`)).address).toEqual({ ...nowhere, ...known })
  })

  test.each([
    ['an empty address', 'address='],
    ['an address of empty components', 'address[city]=&address[latitude_microdeg]='],
  ])('%s is null', async (_, form) => {
    expect(await createCustomer(api, `name=Awa&${form}`)).toMatchObject({ address: null })
  })

  test('two creates with one phone and email make two customers [§2.2.2]', async () => {
    const [one, two] = [await createCustomer(api, wholeForm), await createCustomer(api, wholeForm)]
    expect(two).toEqual({ ...one, id: two.id, created: two.created })
    expect(two.id).not.toBe(one.id)
  })

  test('one key makes one customer, however often it is sent [§2.2.2]', async () => {
    const call = createCustomerCall(wholeForm, { key: 'once', merchant: 'keyed' })
    const answers = await Promise.all(Array.from({ length: 20 }, () => api.call(call)))
    const originals = answers.filter(({ headers }) => headers['idempotent-replayed'] === undefined)
    expect(originals).toHaveLength(1)
    for (const answer of answers) expect(answer.text).toBe(originals[0]?.text)
    expect((await api.call({ path: '/v1/customers', merchant: 'keyed' })).body.data).toHaveLength(1)
    expect(await eventsOf(api, originals[0]?.body.id, 'keyed')).toHaveLength(1)
  })

  test('names of JavaScript’s prototypes are ordinary metadata keys, and an empty value is an absent key', async () => {
    const { metadata } = await createCustomer(
      api,
      'name=A&metadata[__proto__]=a&metadata[toString]=b&metadata[x]=',
    )
    expect(new Map(Object.entries(metadata))).toEqual(
      new Map([
        ['__proto__', 'a'],
        ['toString', 'b'],
      ]),
    )
  })

  test('unknown parameters are ignored', async () => {
    const sent = 'name=Awa&id=cus_1&deleted=true&livemode=true&erased_at=1&balance=5&expand[]=x'
    const plain = await createCustomer(api)
    const customer = await createCustomer(api, sent)
    expect(customer).toEqual({ ...plain, id: customer.id, created: customer.created })
  })

  test('a live deployment has livemode true, in the customer and in its event', async () => {
    const live = await startTestApi({ livemode: true })
    try {
      const customer = await createCustomer(live)
      expect(customer).toMatchObject({ livemode: true })
      expect(await eventsOf(live, customer.id)).toMatchObject([{ livemode: true }])
    } finally {
      await live.stop()
    }
  })
})

describe('400', () => {
  test.each([
    ['nothing', ''],
    ['an address alone', 'address[city]=Douala'],
    ['metadata alone', 'metadata[a]=b'],
    ['three empty values', 'name=&email=&phone='],
    ['an empty name beside an address', 'name=&address[city]=Douala'],
  ])('%s is not enough for a customer [§2.2.1]', async (_, form) => {
    expect(await create(form)).toBeRefusal('invalid_request', 'phone')
  })

  test.each([
    ['a phone of eight digits', 'phone=67000000', 'phone'],
    ['a phone of thirteen digits', 'phone=2376700000010', 'phone'],
    ['a phone with letters', 'phone=67000000a', 'phone'],
    ['a phone twice', 'phone=670000001&phone=670000001', 'phone'],
    ['a name that is a list', 'name[]=Awa', 'name'],
    ['a long name', `name=${'x'.repeat(257)}`, 'name'],
    ['a long email', `email=${'x'.repeat(513)}`, 'email'],
    ['a NUL in a name', 'name=a%00', 'name'],
    ['an address that is a value', 'name=A&address=Rue+1', 'address'],
    ['a long line', `name=A&address[line1]=${'x'.repeat(201)}`, 'address[line1]'],
    ['a component that is a map', 'name=A&address[city][a]=x', 'address[city]'],
    ['a country of three letters', 'name=A&address[country]=CMR', 'address[country]'],
    ['a country with a digit', 'name=A&address[country]=C1', 'address[country]'],
    ['a country of other letters', 'name=A&address[country]=%C3%89%C3%89', 'address[country]'],
    ['metadata that is a value', 'name=A&metadata=x', 'metadata'],
    ['a long key of metadata', `name=A&metadata[${'k'.repeat(41)}]=x`, `metadata[${'k'.repeat(41)}]`],
  ])('%s is refused by name', async (_, form, param) => {
    expect(await create(form)).toBeRefusal('invalid_request', param)
  })

  test.each([
    '4.05',
    '4.0',
    '.5',
    '1e3',
    '-0',
    '%2B1',
    '01',
    '0x1',
    '4+',
    'NaN',
    '90000001',
    '-90000001',
    '9'.repeat(20),
  ])('latitude_microdeg=%s is refused, never rounded [§2.2]', async (value) => {
    const form = `name=A&address[latitude_microdeg]=${value}&address[longitude_microdeg]=0`
    expect(await create(form)).toBeRefusal('invalid_request', 'address[latitude_microdeg]')
  })

  test.each(['9.7', '180000001', '-180000001'])('longitude_microdeg=%s is refused [§2.2]', async (value) => {
    const form = `name=A&address[latitude_microdeg]=0&address[longitude_microdeg]=${value}`
    expect(await create(form)).toBeRefusal('invalid_request', 'address[longitude_microdeg]')
  })

  test.each([
    ['latitude_microdeg', 'address[longitude_microdeg]=0'],
    ['longitude_microdeg', 'address[latitude_microdeg]=0'],
    ['longitude_microdeg', 'address[latitude_microdeg]=0&address[longitude_microdeg]='],
  ])('a missing %s is refused by name if the other is sent [§2.2]', async (name, form) => {
    expect(await create(`name=A&${form}`)).toBeRefusal('invalid_request', `address[${name}]`)
  })

  test('more than 50 keys of metadata are refused', async () => {
    const pairs = Array.from({ length: 51 }, (_, n) => `metadata[k${n}]=v`)
    expect(await create(`name=A&${pairs.join('&')}`)).toBeRefusal('invalid_request', 'metadata')
  })

  test('a refused create writes no customer and no event', async () => {
    await api.call(createCustomerCall('address[city]=Douala', { merchant: 'quiet' }))
    for (const path of ['/v1/customers', '/v1/events']) {
      expect((await api.call({ path, merchant: 'quiet' })).body.data).toEqual([])
    }
  })
})
