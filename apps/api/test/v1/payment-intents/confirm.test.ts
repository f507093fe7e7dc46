import { afterAll, afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { EURO_RAIL, PUSH_RAIL, settle, startTestApi } from '../../harness.ts'
import { chargesOf, chargeStatesOf, eraseCustomer, insertCustomer, lastUseOf } from '../../rows.ts'
import {
  canceledIntent,
  confirmCall,
  confirmedIntent,
  confirmForm,
  createCall,
  createIntent,
  type Ending,
  eventsOf,
  eventTypesOf,
  numberOf,
  readIntent,
  succeededIntent,
  withoutSecret,
} from '../../steps.ts'
import { strangeIds } from '../strange-ids.ts'

const api = await startTestApi()
afterAll(() => api.stop())
afterEach(() => api.mock.control.clearFaults())

const confirm = (id: string, form: string, key?: string) =>
  api.call({ path: `/v1/payment_intents/${id}/confirm`, form, ...(key === undefined ? {} : { key }) })

const DAY_MS = 24 * 60 * 60 * 1_000
const msisdn = `payment_method_data[${PUSH_RAIL}][msisdn]`
const railError = (code: string, railCode: string) => ({
  type: 'rail_error',
  code,
  decline_code: railCode,
  message: expect.toBeOneOf([null, expect.any(String)]),
  payment_method_type: PUSH_RAIL,
})

describe('200', () => {
  test('a charge that the rail accepted makes the intent processing, and changes nothing else [§1.4, §3.1]', async () => {
    const created = await createIntent(api, '&metadata[order]=42')
    const answer = await api.call(confirmCall(created.id, 'waitsForThePayer'))
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 200,
      body: { ...withoutSecret(created), status: 'processing' },
    })
    expect(answer.text).not.toContain('secret')
    expect(answer).toHaveRequestId()
    expect(answer.headers).not.toHaveProperty('compat-should-retry')
    expect((await readIntent(api, created.id)).body).toEqual({ ...created, status: 'processing' })
    expect(await eventTypesOf(api, created.id)).toEqual([])
  })

  test('the rail gets one request, over the amount, with a reference that was committed before', async () => {
    const { id } = await confirmedIntent(api, 'waitsForThePayer')
    const [charge] = await chargesOf(api, id)
    const asked = await api.mock.control.findCharge(charge?.reference ?? '')
    expect(asked).toMatchObject({ amount: '5000', currency: 'XAF', msisdn: numberOf('waitsForThePayer') })
  })

  test.each([
    ['nine digits', '670000001'],
    ['nine digits in groups', '6+70+00-00.01'],
    ['a plus', '%2B237670000001'],
    ['a plus and spaces', '%2B237+6+70+00+00+01'],
    ['two zeros', '00237670000001'],
    ['tel:', 'tel:%2B237-670-000-001'],
    ['parentheses', '(237)+670000001'],
    ['wide digits', '%EF%BC%96%EF%BC%97%EF%BC%90000001'],
    ['Arabic digits', '%D9%A6%D9%A7%D9%A0000001'],
    ['a narrow no-break space', '670%E2%80%AF000%C2%A0001'],
  ])('a number spelled with %s reaches the rail in canonical form [§2.2]', async (_, spelling) => {
    const { id } = await createIntent(api)
    const answer = await confirm(id, `${msisdn}=${spelling}`)
    expect(answer).toMatchObject({ status: 200 })
    expect((await chargesOf(api, id))[0]?.payer_msisdn).toBe('237670000001')
  })

  test.each([
    ['the type of the rail', `&payment_method_data[type]=${PUSH_RAIL}`],
    ['a language', '&locale=fr'],
    ['the other language', '&locale=en'],
    ['automatic capture', '&capture_method=automatic'],
    ['ignored parameters', '&setup_future_usage=off_session&receipt_email=a%40b.cm&expand[]=customer'],
    ['unknown parameters', '&amount=1&foo[bar][]=x&status=succeeded'],
    ['an unknown part of the instrument', `&payment_method_data[${PUSH_RAIL}][colour]=red`],
    ['empty optional parameters', '&customer=&return_url='],
  ])('%s may be sent', async (_, more) => {
    const created = await createIntent(api)
    const answer = await confirm(created.id, `${confirmForm()}${more}`)
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 200,
      body: { ...withoutSecret(created), status: 'processing' },
    })
  })

  test('a refusal in the status returns the intent to requires_payment_method [§2.4, §3.1, §6.1]', async () => {
    const created = await createIntent(api)
    await api.call(confirmCall(created.id, 'declines'))
    await settle(api)
    const { body } = await readIntent(api, created.id)
    expect(body).toEqual({
      ...created,
      last_payment_error: railError('insufficient_funds', 'NOT_ENOUGH_FUNDS'),
    })
    expect(await eventsOf(api, created.id)).toMatchObject([
      { type: 'payment_intent.payment_failed', data: { object: withoutSecret(body) } },
    ])
  })

  test('a decline of the submit is a 200, with the event in the same transaction [§3.1, §6.1]', async () => {
    await api.mock.control.updateSettings({ mtn: { refusalsAt: 'submit' } })
    const created = await createIntent(api)
    const answer = await confirm(created.id, `${msisdn}=237670000455`)
    await api.mock.control.updateSettings({ mtn: { refusalsAt: 'status' } })
    const refused = {
      ...withoutSecret(created),
      last_payment_error: railError('payer_not_found', 'PAYER_NOT_FOUND'),
    }
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: refused })
    expect(await chargeStatesOf(api, created.id)).toEqual(['failed'])
    expect(await eventsOf(api, created.id)).toEqual([
      {
        id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
        object: 'event',
        type: 'payment_intent.payment_failed',
        created: expect.any(Number),
        livemode: false,
        data: { object: refused },
      },
    ])
  })

  test('after a refusal the intent can be confirmed again, which clears the error and writes no event', async () => {
    const created = await createIntent(api)
    await api.call(confirmCall(created.id, 'declines'))
    await settle(api)
    const answer = await api.call(confirmCall(created.id))
    expect(answer.body).toEqual({ ...withoutSecret(created), status: 'processing' })
    expect(await chargeStatesOf(api, created.id)).toEqual(['failed', 'live'])
    expect(await eventTypesOf(api, created.id)).toEqual(['payment_intent.payment_failed'])
    await settle(api)
    expect((await readIntent(api, created.id)).body).toEqual({ ...created, status: 'succeeded' })
    expect(await eventTypesOf(api, created.id)).toEqual([
      'payment_intent.payment_failed',
      'payment_intent.succeeded',
    ])
  })

  test('opening the next charge clears the error, also if the rail is then unreachable', async () => {
    const created = await createIntent(api)
    await api.call(confirmCall(created.id, 'declines'))
    await settle(api)
    await api.wire.cut()
    expect(await api.call(confirmCall(created.id))).toBeRefusal('provider_unavailable')
    await api.wire.mend()
    expect((await readIntent(api, created.id)).body).toEqual(created)
    expect(await chargeStatesOf(api, created.id)).toEqual(['failed', 'abandoned'])
  })

  test('a customer in the request is attached to the intent', async () => {
    const customer = await insertCustomer(api, 'acme')
    const created = await createIntent(api)
    const answer = await confirm(created.id, `${confirmForm('declines')}&customer=${customer}`)
    expect(answer.body).toEqual({ ...withoutSecret(created), status: 'processing', customer })
    await settle(api)
    expect((await readIntent(api, created.id)).body).toMatchObject({
      customer,
      status: 'requires_payment_method',
    })
    const again = await confirm(created.id, `${confirmForm()}&customer=${customer}`)
    expect(again.body).toMatchObject({ customer, status: 'processing' })
  })

  test('the customer counts as used with each new charge, and only then [§4.3.6]', async () => {
    const customer = await insertCustomer(api)
    const { id } = await createIntent(api)
    expect(
      await confirm(id, `payment_method_data[${EURO_RAIL}][msisdn]=237670000001&customer=${customer}`),
    ).toBeRefusal('invalid_request', `payment_method_data[${EURO_RAIL}]`)
    expect(api.clock() - (await lastUseOf(api, customer))).toBeGreaterThan(DAY_MS)
    const naming = `${confirmForm('waitsForThePayer')}&customer=${customer}`
    expect((await confirm(id, naming, 'opens')).status).toBe(200)
    const usedAt = await lastUseOf(api, customer)
    expect(api.clock() - usedAt).toBeLessThan(60_000)
    api.advance(1_000)
    expect(await confirm(id, naming)).toBeRefusal('charge_in_progress')
    expect((await confirm(id, naming, 'opens')).status).toBe(200)
    expect(await lastUseOf(api, customer)).toBe(usedAt)
  })
})

describe('400', () => {
  test.each([
    ['nothing', '', 'payment_method_data'],
    ['an empty instrument', 'payment_method_data=', 'payment_method_data'],
    ['a text', 'payment_method_data=x', 'payment_method_data'],
    ['a list', `payment_method_data[]=${PUSH_RAIL}`, 'payment_method_data[0]'],
    ['only a type', `payment_method_data[type]=${PUSH_RAIL}`, `payment_method_data[${PUSH_RAIL}][msisdn]`],
    ['an empty type', 'payment_method_data[type]=', 'payment_method_data'],
    ['another type', `${confirmForm()}&payment_method_data[type]=card`, 'payment_method_data[type]'],
    ['a type that is a map', `${confirmForm()}&payment_method_data[type][a]=x`, 'payment_method_data[type]'],
    [
      'two rails',
      `${confirmForm()}&payment_method_data[${EURO_RAIL}][msisdn]=670000001`,
      'payment_method_data',
    ],
    ['a rail that is a text', `payment_method_data[${PUSH_RAIL}]=670000001`, msisdn],
    ['an empty rail', `payment_method_data[${PUSH_RAIL}]=`, msisdn],
    ['an unknown rail', 'payment_method_data[card][msisdn]=670000001', 'payment_method_data[card]'],
    [
      'a rail that the intent does not take',
      `payment_method_data[${EURO_RAIL}][msisdn]=670000001`,
      `payment_method_data[${EURO_RAIL}]`,
    ],
    [
      'a rail named like a property',
      'payment_method_data[__proto__][msisdn]=1',
      'payment_method_data[__proto__]',
    ],
    ['no number', `payment_method_data[${PUSH_RAIL}][pin]=1`, msisdn],
    ['an empty number', `${msisdn}=`, msisdn],
    ['a number that is a list', `${msisdn}[]=670000001`, msisdn],
    ['a number that is a map', `${msisdn}[a]=670000001`, msisdn],
    ['a number twice', `${msisdn}=670000001&${msisdn}=670000001`, msisdn],
    ['a manual capture', `${confirmForm()}&capture_method=manual`, 'capture_method'],
    ['a fee', `${confirmForm()}&application_fee_amount=1`, 'application_fee_amount'],
    ['a transfer', `${confirmForm()}&transfer_data[destination]=a`, 'transfer_data'],
    ['another account', `${confirmForm()}&on_behalf_of=a`, 'on_behalf_of'],
    ['a manual capture before any other fault', 'locale=de&capture_method=manual', 'capture_method'],
    ['another account before any other fault', 'customer[]=a&on_behalf_of=a', 'on_behalf_of'],
    ['an unknown language', `${confirmForm()}&locale=de`, 'locale'],
    ['a language in capitals', `${confirmForm()}&locale=FR`, 'locale'],
    ['an empty language', `${confirmForm()}&locale=`, 'locale'],
    ['a language that is a list', `${confirmForm()}&locale[]=fr`, 'locale'],
    ['an address that is a list', `${confirmForm()}&return_url[]=https://a.cm`, 'return_url'],
    ['a long address', `${confirmForm()}&return_url=https://a.cm/${'x'.repeat(2048)}`, 'return_url'],
    ['a customer that is a list', `${confirmForm()}&customer[]=a`, 'customer'],
    ['an unknown customer', `${confirmForm()}&customer=cus_0193f2d5e0a07c3e9b1a2b3c4d5e6f70`, 'customer'],
    ['an ill-formed customer', `${confirmForm()}&customer=x`, 'customer'],
  ])('%s is refused by name, without a call to the rail', async (_, form, param) => {
    const { id } = await createIntent(api)
    const before = await api.mock.control.listCalls({ operation: 'submit' })
    expect(await confirm(id, form)).toBeRefusal('invalid_request', param)
    expect(await chargesOf(api, id)).toEqual([])
    expect(await api.mock.control.listCalls({ operation: 'submit' })).toHaveLength(before.length)
  })

  test.each([
    '67000000',
    '6700000001',
    '0670000001',
    '2376700000011',
    '%2B%2B237670000001',
    '%2B670000001',
    '6700000a1',
    '670000001+ext+3',
    '670000001;ext=3',
    '000000000000',
    '012345678901',
    '%00670000001',
    '6.7e8',
    '670000001%0A,',
    '+',
    '%2B',
    '%F0%9F%93%9E670000001',
    '670_000_001',
    '6'.repeat(300),
    '%zz',
  ])('the number %s is refused by name', async (spelling) => {
    const { id } = await createIntent(api)
    const answer = await confirm(id, `${msisdn}=${spelling}`)
    expect(answer).toBeRefusal('invalid_request', msisdn)
    expect(answer.text).not.toContain('67000000')
  })

  test('a currency that is not the rail’s own is refused, without a charge [§3.1.2]', async () => {
    const form = `amount=100&currency=EUR&payment_method_types[]=${PUSH_RAIL}&payment_method_types[]=${EURO_RAIL}`
    const { body } = await api.call(createCall(form))
    expect(await api.call(confirmCall(body.id))).toBeRefusal(
      'invalid_request',
      `payment_method_data[${PUSH_RAIL}]`,
    )
    expect(await chargesOf(api, body.id)).toEqual([])
  })

  test('a customer other than the intent’s is refused; a foreign one has the same refusal as an unknown one', async () => {
    const [mine, other, foreign] = [
      await insertCustomer(api, 'acme'),
      await insertCustomer(api, 'acme'),
      await insertCustomer(api, 'globex'),
    ]
    const { id } = await createIntent(api, `&customer=${mine}`)
    expect(await confirm(id, `${confirmForm()}&customer=${other}`)).toBeRefusal('invalid_request', 'customer')
    const bare = await createIntent(api)
    const unknown = await confirm(bare.id, `${confirmForm()}&customer=cus_0193f2d5e0a07c3e9b1a2b3c4d5e6f70`)
    const answer = await confirm(bare.id, `${confirmForm()}&customer=${foreign}`)
    expect(answer).toBeRefusal('invalid_request', 'customer')
    expect(answer.text).toBe(unknown.text)
    expect((await readIntent(api, bare.id)).body.customer).toBeNull()
  })

  test.each(['cus_0193f2d5e0a07c3e9b1a2b3c4d5e6f70', 'nobody'])(
    'a wrong number is named before the customer %s',
    async (customer) => {
      const { id } = await createIntent(api)
      expect(await confirm(id, `${msisdn}=12&customer=${customer}`)).toBeRefusal('invalid_request', msisdn)
    },
  )
})

describe('404', () => {
  test('a foreign, an unknown and an ill-formed id have the same answer, byte for byte', async () => {
    const { id } = await createIntent(api)
    const foreign = await api.call(confirmCall(id, undefined, { merchant: 'globex' }))
    expect(foreign).toBeRefusal('resource_missing')
    for (const strange of strangeIds(id)) {
      const answer = await api.call(confirmCall(strange))
      expect([strange, answer.text]).toEqual([strange, foreign.text])
      expect(answer).toBeRefusal('resource_missing')
    }
    expect(await chargesOf(api, id)).toEqual([])
  })

  test('a fault of a single parameter comes before any of them', async () => {
    for (const strange of strangeIds((await createIntent(api)).id)) {
      const answer = await confirm(strange, `${msisdn}=12`)
      expect([strange, answer.status, answer.body.error?.param]).toEqual([strange, 400, msisdn])
    }
  })
})

describe('409 [§7.2]', () => {
  test('a live charge: poll, do not charge again [§3.1.1]', async () => {
    const { id } = await confirmedIntent(api, 'waitsForThePayer')
    const answer = await api.call(confirmCall(id))
    expect(answer).toBeRefusal('charge_in_progress')
    expect(answer.body.error.message).toMatch(/resolved with the rail.*poll/i)
    expect(await chargeStatesOf(api, id)).toEqual(['live'])
  })

  test('an intent with 25 charges: create a new intent', async () => {
    await api.mock.control.updateSettings({ mtn: { refusalsAt: 'submit' } })
    const { id } = await createIntent(api)
    const form = `payment_method_data[${PUSH_RAIL}][msisdn]=237670000455`
    for (let n = 0; n < 25; n += 1) {
      expect((await api.call({ ...confirmCall(id), form })).status).toBe(200)
    }
    await api.mock.control.updateSettings({ mtn: { refusalsAt: 'status' } })
    const refused = await api.call(confirmCall(id))
    expect(refused).toBeRefusal('too_many_attempts')
    expect(refused.body.error.message).toMatch(/can still succeed: wait half an hour .* only if/i)
    expect(await chargeStatesOf(api, id)).toHaveLength(25)
  })

  test('a succeeded charge: create a new intent [§3.1.1]', async () => {
    const { id } = await succeededIntent(api)
    const answer = await api.call(confirmCall(id))
    expect(answer).toBeRefusal('charge_terminal')
    expect(answer.body.error.message).toMatch(/terminal.*create a new/i)
    expect(await chargeStatesOf(api, id)).toEqual(['succeeded'])
  })

  test('a canceled intent, with or without a charge', async () => {
    const { id } = await canceledIntent(api)
    expect(await api.call(confirmCall(id))).toBeRefusal('intent_canceled')
    const charged = await confirmedIntent(api, 'waitsForThePayer')
    await api.call({ method: 'POST', path: `/v1/payment_intents/${charged.id}/cancel` })
    const refused = await api.call(confirmCall(charged.id))
    expect(refused).toBeRefusal('intent_canceled')
    expect(refused.body.error.message).toMatch(/can still be paid: wait 40 minutes .* only if/i)
  })

  test('an erased customer, in the request or attached', async () => {
    const erased = await insertCustomer(api, 'acme', { erased: true })
    const { id } = await createIntent(api)
    expect(await confirm(id, `${confirmForm()}&customer=${erased}`)).toBeRefusal(
      'customer_erased',
      'customer',
    )
    expect(await chargesOf(api, id)).toEqual([])
    const customer = await insertCustomer(api)
    const attached = await createIntent(api, `&customer=${customer}`)
    await eraseCustomer(api, customer)
    expect(await confirm(attached.id, confirmForm())).toBeRefusal('customer_erased')
  })
})

describe('502', () => {
  test('an unreachable rail: the charge was never sent, and the next confirm opens another [§7.2]', async () => {
    const { id } = await createIntent(api)
    await api.wire.cut()
    const answer = await api.call(confirmCall(id))
    await api.wire.mend()
    expect(answer).toBeRefusal('provider_unavailable')
    expect(await chargeStatesOf(api, id)).toEqual(['abandoned'])
    expect(await eventTypesOf(api, id)).toEqual([])
    expect((await api.call(confirmCall(id))).body.status).toBe('processing')
    expect(await chargeStatesOf(api, id)).toEqual(['abandoned', 'live'])
  })

  test.each([
    ['an accepted submit whose answer was lost', 'acceptedThenReset', 'succeeded'],
    ['a submit that never arrived', 'resetUnaccepted', 'requires_payment_method'],
  ] as [string, Ending, string][])('%s stays unresolved until the rail says', async (_, ending, outcome) => {
    const created = await createIntent(api)
    expect(await api.call(confirmCall(created.id, ending))).toBeRefusal('provider_unavailable')
    expect((await readIntent(api, created.id)).body).toEqual(created)
    expect(await chargeStatesOf(api, created.id)).toEqual(['unconfirmed'])
    expect(await api.call(confirmCall(created.id))).toBeRefusal('charge_in_progress')
    for (let pass = 0; pass < 6; pass += 1) await settle(api)
    expect((await readIntent(api, created.id)).body.status).toBe(outcome)
    expect(await chargesOf(api, created.id)).toHaveLength(1)
  })

  test('the same request gets the intent once its charge has paid, and another request a 409 [§3.1, §7.2, §8]', async () => {
    const { id } = await createIntent(api)
    const request = confirmCall(id, 'acceptedThenReset', { key: 'interrupted' })
    expect(await api.call(request)).toBeRefusal('provider_unavailable')
    expect(await api.call(request)).toBeRefusal('charge_in_progress')
    for (let pass = 0; pass < 6; pass += 1) await settle(api)

    const answer = await api.call(request)
    expect(answer).toMatchObject({ status: 200, body: { id, status: 'succeeded' } })
    expect(answer.headers['idempotent-replayed']).toBeUndefined()
    const replay = await api.call(request)
    expect(replay).toMatchObject({ status: 200, text: answer.text })
    expect(replay.headers['idempotent-replayed']).toBe('true')
    expect(await api.call(confirmCall(id))).toBeRefusal('charge_terminal')
    expect(await chargeStatesOf(api, id)).toEqual(['succeeded'])
  })

  test.each([
    ['a gateway’s HTML page', { kind: 'html' }],
    ['a 503', { kind: 'http', status: 503 }],
    ['a 200 that is no acceptance', { kind: 'http', status: 200, body: '{}' }],
    ['a redirect', { kind: 'http', status: 302 }],
  ] as const)('%s does not answer a submit', async (_, fault) => {
    const { id } = await createIntent(api)
    await api.mock.control.addFault({ operation: 'submit', ...fault })
    expect(await api.call(confirmCall(id))).toBeRefusal('provider_unavailable')
    expect(await api.call(confirmCall(id))).toBeRefusal('charge_in_progress')
    expect(await eventTypesOf(api, id)).toEqual([])
  })

  test('silence does not answer a submit', async () => {
    const impatient = await startTestApi({ railTimeoutMs: 2_000 })
    onTestFinished(() => impatient.stop())
    const { id } = await createIntent(impatient)
    await impatient.mock.control.addFault({ operation: 'submit', kind: 'hang' })
    expect(await impatient.call(confirmCall(id))).toBeRefusal('provider_unavailable')
    expect(await impatient.call(confirmCall(id))).toBeRefusal('charge_in_progress')
    expect(await eventTypesOf(impatient, id)).toEqual([])
  })

  test('a rail that throttles counts as unreachable', async () => {
    const { id } = await createIntent(api)
    await api.mock.control.addFault({ operation: 'submit', kind: 'throttled', retryAfterSec: 1 })
    expect(await api.call(confirmCall(id))).toBeRefusal('provider_unavailable')
    expect((await api.call(confirmCall(id))).body.status).toBe('processing')
  })
})
