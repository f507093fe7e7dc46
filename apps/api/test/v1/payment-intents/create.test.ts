import type { PaymentIntent } from '@merchant-payments/contract'
import { afterAll, describe, expect, test } from 'vitest'
import { EURO_RAIL, PUSH_RAIL, startTestApi } from '../../harness.ts'
import { insertCustomer, lastUseOf } from '../../rows.ts'
import { cancelCall, createCall, createIntent, eventsOf, intentForm, readIntent } from '../../steps.ts'

const api = await startTestApi()
afterAll(() => api.stop())

const rail = `payment_method_types[0]=${PUSH_RAIL}`
const required = { amount: 'amount=5000', currency: 'currency=XAF', payment_method_types: rail }

/** The required parameters, without the one that a test sends in its own way. */
const requiredBut = (sent: string) =>
  Object.entries(required)
    .flatMap(([name, pair]) => (sent.startsWith(name) ? [] : [pair]))
    .join('&')

const create = (form: string) => api.call(createCall(form))

describe('201', () => {
  test('the body is the complete intent [§2.1, §4.2]', async () => {
    const before = Math.floor(api.clock() / 1000)
    const answer = await create(
      `amount=5000&currency=xaf&${rail}&payment_method_types[1]=${EURO_RAIL}&description=Two+bags%2Bone&metadata[order]=42&metadata[note]=%C3%A9%E2%9C%93`,
    )
    expect(answer.status).toBe(201)
    expect(answer).toHaveRequestId()
    expect(answer.headers['content-type']).toMatch(/^application\/json/)
    expect(answer.headers).not.toHaveProperty('compat-should-retry')
    expect(answer.headers).not.toHaveProperty('idempotent-replayed')
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^pi_[0-9a-f]{32}$/),
      object: 'payment_intent',
      amount: 5000,
      currency: 'XAF',
      status: 'requires_payment_method',
      payment_method_types: [PUSH_RAIL, EURO_RAIL],
      customer: null,
      description: 'Two bags+one',
      metadata: { order: '42', note: 'é✓' },
      client_secret: expect.any(String),
      next_action: null,
      last_payment_error: null,
      invoice: null,
      canceled_at: null,
      cancellation_reason: null,
      created: expect.any(Number),
      livemode: false,
    })
    expect(answer.body.created).toBeGreaterThanOrEqual(before)
    expect(answer.body.created).toBeLessThanOrEqual(api.clock() / 1000)
  })

  test('the secret has 256 bits and differs for each intent', async () => {
    const [one, two] = [await createIntent(api), await createIntent(api)]
    const secretOf = ({ id, client_secret: secret = '' }: PaymentIntent) => {
      expect(secret.startsWith(`${id}_secret_`)).toBe(true)
      return secret.slice(`${id}_secret_`.length)
    }
    expect(secretOf(one)).not.toBe(secretOf(two))
    expect(secretOf(one)).toMatch(/^1v[\w-]{43}$/)
  })

  test.each([
    ['the smallest amount', 'amount=1&currency=XAF', { amount: 1 }],
    ['the largest amount', 'amount=99999999&currency=XAF', { amount: 99_999_999 }],
    ['EUR in any case', 'amount=5&currency=eUr', { amount: 5, currency: 'EUR' }],
    ['an empty description', 'amount=5&currency=XAF&description=', { description: null }],
    ['an empty customer', 'amount=5&currency=XAF&customer=', { customer: null }],
    ['confirm=false', 'amount=5&currency=XAF&confirm=false', {}],
    ['capture_method=automatic', 'amount=5&currency=XAF&capture_method=automatic', {}],
    [
      'metadata with an empty value',
      'amount=5&currency=XAF&metadata[a]=&metadata[b]=1',
      { metadata: { b: '1' } },
    ],
  ])('%s is accepted', async (_, form, changes) => {
    const answer = await create(`${form}&${rail}`)
    expect(answer).toMatchObject({ status: 201 })
    expect(answer.body).toMatchObject(changes)
  })

  test('a description of 1000 characters and metadata at every limit are stored as sent [§2.4]', async () => {
    const description = 'é'.repeat(1000)
    const metadata = Object.fromEntries(
      Array.from({ length: 50 }, (_, n) => [`${n}`.padStart(40, 'k'), 'v'.repeat(500)]),
    )
    const pairs = Object.entries(metadata).map(([key, value]) => `metadata[${key}]=${value}`)
    const answer = await create(
      `${intentForm}&description=${encodeURIComponent(description)}&${pairs.join('&')}`,
    )
    expect(answer).toMatchObject({ status: 201 })
    expect(answer.body).toMatchObject({ description, metadata })
    expect((await readIntent(api, answer.body.id)).body).toEqual(answer.body)
  })

  test('characters outside the basic plane count as one', async () => {
    const answer = await create(`${intentForm}&metadata[a]=${encodeURIComponent('😀'.repeat(500))}`)
    expect(answer).toMatchObject({ status: 201 })
    expect(answer.body.metadata).toEqual({ a: '😀'.repeat(500) })
  })

  test('names of JavaScript’s prototypes are ordinary metadata keys', async () => {
    const answer = await create(
      `${intentForm}&metadata[__proto__]=a&metadata[constructor]=b&metadata[prototype]=c&metadata[toString]=d&metadata[hasOwnProperty]=e`,
    )
    expect(answer).toMatchObject({ status: 201 })
    const sorted = (metadata: object) =>
      Object.entries(metadata).sort(([one], [other]) => (one < other ? -1 : 1))
    const entries = [
      ['__proto__', 'a'],
      ['constructor', 'b'],
      ['hasOwnProperty', 'e'],
      ['prototype', 'c'],
      ['toString', 'd'],
    ]
    expect(sorted(answer.body.metadata)).toEqual(entries)
    const read = await readIntent(api, answer.body.id)
    expect(sorted(read.body.metadata)).toEqual(entries)
    expect(({} as Record<string, unknown>)['a']).toBeUndefined()
  })

  test('ignored and unknown parameters have no effect [§4.3.4]', async () => {
    const ignored = [
      'setup_future_usage=off_session',
      'confirmation_method=manual',
      'receipt_email=a%40b.cm',
      'statement_descriptor=SHOP',
      'expand[0]=customer',
      'expand[]=invoice',
      'automatic_payment_methods[enabled]=true',
      'status=succeeded',
      'id=pi_00000000000000000000000000000000',
      'livemode=true',
      'client_secret=mine',
      'invoice=in_1',
      '__proto__[amount]=1',
      'constructor[prototype][amount]=1',
    ]
    const plain = await createIntent(api)
    const answer = await create(`${intentForm}&${ignored.join('&')}`)
    expect(answer).toMatchObject({ status: 201 })
    const { id, client_secret: clientSecret, created } = answer.body
    expect(answer.body).toEqual({ ...plain, id, client_secret: clientSecret, created })
    expect(clientSecret).not.toBe('mine')
  })

  test.each([
    ['indexed', `payment_method_types[0]=${PUSH_RAIL}&payment_method_types[1]=${EURO_RAIL}`],
    ['unindexed', `payment_method_types[]=${PUSH_RAIL}&payment_method_types[]=${EURO_RAIL}`],
    ['with holes', `payment_method_types[9]=${EURO_RAIL}&payment_method_types[2]=${PUSH_RAIL}`],
    [
      'with encoded brackets',
      `payment_method_types%5B0%5D=${PUSH_RAIL}&payment_method_types%5B1%5D=${EURO_RAIL}`,
    ],
  ])('rails are read in the %s spelling [§2.1]', async (_, types) => {
    const answer = await create(`amount=5000&currency=XAF&${types}`)
    expect(answer).toMatchObject({ status: 201 })
    expect(answer.body.payment_method_types).toEqual([PUSH_RAIL, EURO_RAIL])
  })

  test('a rail that is named twice is stored once', async () => {
    const types = [0, 1, 2].map((n) => `payment_method_types[${n}]=${n === 1 ? EURO_RAIL : PUSH_RAIL}`)
    const answer = await create(`amount=5000&currency=XAF&${types.join('&')}`)
    expect(answer.body.payment_method_types).toEqual([PUSH_RAIL, EURO_RAIL])
  })

  test('the customer is attached, and counts as used [§4.3.6]', async () => {
    const customer = await insertCustomer(api, 'acme')
    expect(await createIntent(api, `&customer=${customer}`)).toMatchObject({ customer })
    expect(api.clock() - (await lastUseOf(api, customer))).toBeLessThan(60_000)
  })

  test('a live deployment has livemode true, in intents and in their events [§2.1]', async () => {
    const live = await startTestApi({ livemode: true })
    try {
      const created = await createIntent(live)
      expect(created).toMatchObject({ livemode: true })
      await live.call(cancelCall(created.id))
      expect(await eventsOf(live, created.id)).toMatchObject([
        { livemode: true, data: { object: { livemode: true } } },
      ])
    } finally {
      await live.stop()
    }
  })

  test('a creation writes no event [§3.1.4, §6.1]', async () => {
    await createIntent(api, '', { merchant: 'quiet' })
    expect((await api.call({ path: '/v1/events', merchant: 'quiet' })).body.data).toEqual([])
  })
})

describe('400', () => {
  test.each([
    ['amount', `currency=XAF&${rail}`],
    ['currency', `amount=1&${rail}`],
    ['payment_method_types', 'amount=1&currency=XAF'],
    ['payment_method_types', 'amount=1&currency=XAF&automatic_payment_methods[enabled]=true'],
  ])('a missing %s is refused by name [§2.4]', async (param, form) => {
    expect(await create(form)).toBeRefusal('invalid_request', param)
  })

  const amounts = [
    '',
    '0',
    '00',
    '-1',
    '-0',
    '%2B1',
    '+1',
    '1+',
    '1.0',
    '1.5',
    '.5',
    '1.',
    '1e3',
    '1E3',
    '1e%2B3',
    '0x10',
    '010',
    '1_000',
    '1%2C000',
    '100000000',
    '9007199254740993',
    '99999999999999999999',
    'NaN',
    'Infinity',
    'true',
    'null',
    '%D9%A3',
    '%EF%BC%91',
    '1%00',
    '1%0A',
    '%E2%80%8B1',
    '1;',
    '%271',
    "1'--",
    '1n',
  ]
  test.each(amounts)('amount=%s is refused', async (amount) => {
    expect(await create(`amount=${amount}&currency=XAF&${rail}`)).toBeRefusal('invalid_request', 'amount')
  })

  test.each(['', 'USD', 'XA', 'XAFF', 'xaf+', '952', '%EF%BD%98af', 'XAF%00', '%C3%97AF'])(
    'currency=%s is refused',
    async (currency) => {
      expect(await create(`amount=1&currency=${currency}&${rail}`)).toBeRefusal('invalid_request', 'currency')
    },
  )

  test.each([
    ['a list where a value belongs', 'amount[]=1', 'amount'],
    ['an indexed list where a value belongs', 'amount[0]=1', 'amount'],
    ['a map where a value belongs', 'currency[code]=XAF', 'currency'],
    ['a value twice', 'amount=1&amount=1', 'amount'],
    ['a value and a map', 'amount=1&amount[a]=1', 'amount[a]'],
    ['a map and a value', 'amount[a]=1&amount=1', 'amount'],
    ['a list twice at one index', `${rail}&${rail}`, 'payment_method_types[0]'],
    ['a key of a map twice', 'metadata[a]=1&metadata[a]=2', 'metadata[a]'],
    ['a customer that is a list', 'customer[]=x', 'customer'],
    ['a description that is a map', 'description[a]=x', 'description'],
    ['a long description', `description=${'x'.repeat(1001)}`, 'description'],
    ['a value where a map belongs', 'metadata=x', 'metadata'],
    ['a map in a value of metadata', 'metadata[a][b]=x', 'metadata[a]'],
    ['a list in a value of metadata', 'metadata[a][]=x', 'metadata[a]'],
    ['a long key of metadata', `metadata[${'k'.repeat(41)}]=x`, `metadata[${'k'.repeat(41)}]`],
    ['a long value of metadata', `metadata[a]=${'v'.repeat(501)}`, 'metadata[a]'],
    ['a NUL in a description', 'description=a%00b', 'description'],
    ['a NUL in a value of metadata', 'metadata[a]=a%00b', 'metadata[a]'],
    ['a broken escape', 'description=%zz', 'description'],
    ['a cut escape', 'metadata[a]=%E', 'metadata[a]'],
    ['bytes that are not UTF-8', 'description=%FF', 'description'],
    ['an overlong NUL', 'description=%C0%80', 'description'],
    ['half a surrogate pair', 'description=%ED%A0%80', 'description'],
    ['confirm=true', 'confirm=true', 'confirm'],
    ['confirm=1', 'confirm=1', 'confirm'],
    ['an empty confirm', 'confirm=', 'confirm'],
    ['confirm in capitals', 'confirm=FALSE', 'confirm'],
    ['confirm as a list', 'confirm[]=false', 'confirm'],
    ['manual capture', 'capture_method=manual', 'capture_method'],
    ['automatic_async capture', 'capture_method=automatic_async', 'capture_method'],
    ['a fee', 'application_fee_amount=1', 'application_fee_amount'],
    ['a transfer', 'transfer_data[destination]=acct_1', 'transfer_data'],
    ['another account', 'on_behalf_of=acct_1', 'on_behalf_of'],
  ])('%s is refused by name [§2.4, §7.2]', async (_, sent, param) => {
    expect(await create(`${requiredBut(sent)}&${sent}`)).toBeRefusal('invalid_request', param)
  })

  test.each([
    ['capture_method=manual', 'capture_method'],
    ['application_fee_amount=1', 'application_fee_amount'],
    ['transfer_data[destination]=acct_1', 'transfer_data'],
    ['on_behalf_of=acct_1', 'on_behalf_of'],
    ['confirm=true', 'confirm'],
  ])('%s is reported before any other fault', async (sent, param) => {
    expect(await create(`amount=0&currency=USD&metadata=x&${sent}`)).toBeRefusal('invalid_request', param)
    expect(await create(sent)).toBeRefusal('invalid_request', param)
  })

  test('more than 50 keys of metadata are refused', async () => {
    const pairs = Array.from({ length: 51 }, (_, n) => `metadata[k${n}]=v`)
    expect(await create(`${intentForm}&${pairs.join('&')}`)).toBeRefusal('invalid_request', 'metadata')
  })

  test.each([
    ['no rail', 'payment_method_types=', 'payment_method_types'],
    ['a rail without brackets', `payment_method_types=${PUSH_RAIL}`, 'payment_method_types'],
    ['an empty rail', 'payment_method_types[0]=', 'payment_method_types[0]'],
    ['an empty unindexed rail', 'payment_method_types[]=', 'payment_method_types[0]'],
    ['a rail that the deployment did not enable', 'payment_method_types[0]=card', 'payment_method_types[0]'],
    [
      'a rail of another case',
      `payment_method_types[0]=${PUSH_RAIL.toUpperCase()}`,
      'payment_method_types[0]',
    ],
    ['a second rail that is unknown', `${rail}&payment_method_types[1]=card`, 'payment_method_types[1]'],
    ['a rail that is a map', `payment_method_types[0][a]=${PUSH_RAIL}`, 'payment_method_types[0]'],
    ['a map of rails', `payment_method_types[a]=${PUSH_RAIL}`, 'payment_method_types'],
    ['a negative index', `payment_method_types[-1]=${PUSH_RAIL}`, 'payment_method_types'],
    ['an index with a point', `payment_method_types[1.0]=${PUSH_RAIL}`, 'payment_method_types'],
    ['an index with an exponent', `payment_method_types[1e1]=${PUSH_RAIL}`, 'payment_method_types'],
    ['an index beyond any list', `payment_method_types[99999999999]=${PUSH_RAIL}`, 'payment_method_types'],
    ['a rail named like a property', 'payment_method_types[0]=__proto__', 'payment_method_types[0]'],
    ['a rail with a NUL', 'payment_method_types[0]=a%00', 'payment_method_types[0]'],
  ])('%s is refused by name [§2.4, §7.2]', async (_, types, param) => {
    expect(await create(`amount=1&currency=XAF&${types}`)).toBeRefusal('invalid_request', param)
  })

  test('an unknown, a foreign and an ill-formed customer have the same refusal [§2.4, §4.3.5]', async () => {
    const foreign = await insertCustomer(api, 'globex')
    const spellings = [
      'cus_0193f2d5e0a07c3e9b1a2b3c4d5e6f70',
      foreign,
      'cus_x',
      'cus_',
      'x',
      foreign.replace('cus_', 'pi_'),
      foreign.toUpperCase(),
      `${foreign}0`,
      `cus_${'0'.repeat(200)}`,
      "'; drop table customers --",
    ]
    const answers = []
    for (const customer of spellings) {
      answers.push(await create(`${intentForm}&customer=${customer}`))
    }
    for (const answer of answers) expect(answer).toBeRefusal('invalid_request', 'customer')
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  })
})

describe('409', () => {
  test('an erased customer is refused [§3.2]', async () => {
    const customer = await insertCustomer(api, 'acme', { erased: true })
    expect(await create(`${intentForm}&customer=${customer}`)).toBeRefusal('customer_erased', 'customer')
  })
})
