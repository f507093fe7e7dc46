import { afterAll, describe, expect, test } from 'vitest'
import { act, openInvoice } from '../../../bills.ts'
import { checkoutBaseUrl, EURO_RAIL, publishableKeyOf, PUSH_RAIL, startTestApi } from '../../../harness.ts'
import { eraseCustomer, insertCustomer, lastUseOf } from '../../../rows.ts'
import {
  adoptCall,
  createSession,
  createSessionCall,
  DAY_SEC,
  freshSession,
  lifeSecOf,
  readSession,
  sessionForm,
} from '../../../sessions.ts'
import {
  canceledIntent,
  confirmCall,
  confirmedIntent,
  createCall,
  createIntent,
  intentForm,
  readIntent,
  succeededIntent,
} from '../../../steps.ts'

const api = await startTestApi()
afterAll(() => api.stop())

const create = (form: string) => api.call(createSessionCall(form))
const secondsFromNow = (seconds: number) => Math.floor(api.clock() / 1000) + seconds

describe('200', () => {
  test('the body is the complete session, with its secret and its address [§2.5]', async () => {
    const answer = await create(`${sessionForm}&description=Rice&metadata[order]=42`)
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 200,
      body: freshSession({ metadata: { order: '42' } }),
    })
    expect(answer).toHaveRequestId()
    const { id, url, client_secret: secret } = answer.body
    expect(secret).toMatch(new RegExp(`^${id}_secret_1v[\\w-]{43}\\.${publishableKeyOf('acme')}$`))
    expect(url).toBe(`${checkoutBaseUrl}/c/${id}#${secret}`)
    expect(lifeSecOf(answer.body)).toBe(DAY_SEC)
  })

  test('creates an intent with the given values [§2.5]', async () => {
    const session = await createSession(api, '&description=Rice&metadata[order]=42')
    const { body: intent } = await readIntent(api, session.payment_intent)
    const plain = await createIntent(api, '&description=Rice&metadata[order]=42')
    const { id, client_secret: secret, created } = intent
    expect(intent).toEqual({ ...plain, id, client_secret: secret, created })
    expect(id).toBe(session.payment_intent)
    expect(session.client_secret).not.toContain(secret)
  })

  test('an intent of the merchant is adopted if the repeated values match it', async () => {
    const intent = await createIntent(api, '&description=Rice&metadata[order]=42')
    const again = `&amount=5000&currency=xaf&payment_method_types[]=${PUSH_RAIL}&description=Rice&metadata[page]=1`
    const answer = await api.call(adoptCall(intent.id, again))
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 200,
      body: freshSession({ payment_intent: intent.id, metadata: { page: '1' } }),
    })
    expect((await readIntent(api, intent.id)).body).toEqual(intent)
    expect((await readSession(api, answer.body.id)).body).toEqual(answer.body)
  })

  test('the rails of an adopted intent may be repeated in another order', async () => {
    const { id } = await createIntent(api, `&payment_method_types[]=${EURO_RAIL}`)
    const again = [EURO_RAIL, PUSH_RAIL, EURO_RAIL].map((rail) => `&payment_method_types[]=${rail}`).join('')
    expect((await api.call(adoptCall(id, again))).body.payment_method_types).toEqual([PUSH_RAIL, EURO_RAIL])
  })

  test('an intent whose last charge never reached the rail is adopted', async () => {
    const { id } = await createIntent(api)
    await api.wire.cut()
    await api.call(confirmCall(id))
    await api.wire.mend()
    expect((await api.call(adoptCall(id))).status).toBe(200)
  })

  test.each([
    ['hosted', 'hosted'],
    ['hosted_page', 'hosted'],
    ['embedded', 'embedded'],
    ['embedded_page', 'embedded'],
  ])('ui_mode=%s is %s [§2.5]', async (spelling, mode) => {
    const { ui_mode: shown, url } = await createSession(api, `&ui_mode=${spelling}`)
    expect({ shown, hasUrl: url !== null }).toEqual({ shown: mode, hasUrl: mode === 'hosted' })
  })

  test('an embedded session requires no return address', async () => {
    const { body } = await create(`${intentForm}&ui_mode=embedded`)
    expect(body).toEqual(freshSession({ ui_mode: 'embedded', url: null, success_url: null }))
  })

  test('addresses are stored as sent, with the placeholder of the id', async () => {
    const addresses = {
      success_url: 'https://shop.test/{CHECKOUT_SESSION_ID}/done?s={CHECKOUT_SESSION_ID}&a=b#é',
      cancel_url: 'http://localhost:4000/cart',
      return_url: 'https://shop.test/back',
    }
    const { body } = await create(`${intentForm}&${new URLSearchParams(addresses).toString()}`)
    expect(body).toEqual(freshSession(addresses))
  })

  test.each([
    ['in half an hour', 30 * 60],
    ['in half an hour, by a clock that is 20 seconds late', 30 * 60 - 20],
    ['in a day', DAY_SEC],
    ['in a day, by a clock that is 20 seconds early', DAY_SEC + 20],
  ])('it can expire %s', async (_, lifeSec) => {
    const expiresAt = secondsFromNow(lifeSec)
    expect(await createSession(api, `&expires_at=${expiresAt}`)).toMatchObject({ expires_at: expiresAt })
  })

  test('a reference of 200 characters and a language are accepted', async () => {
    const session = await createSession(api, `&client_reference_id=${'r'.repeat(200)}&locale=fr`)
    expect(session.client_reference_id).toBe('r'.repeat(200))
  })

  test('the customer becomes that of the session and of its intent, and counts as used [§4.3.6]', async () => {
    const customer = await insertCustomer(api)
    const session = await createSession(api, `&customer=${customer}`)
    expect(session.customer).toBe(customer)
    expect((await readIntent(api, session.payment_intent)).body.customer).toBe(customer)
    expect(api.clock() - (await lastUseOf(api, customer))).toBeLessThan(60_000)
  })

  test('an adopted intent gives the session its customer, which counts as used', async () => {
    const customer = await insertCustomer(api)
    const intent = await createIntent(api, `&customer=${customer}`)
    api.advance(120_000)
    const { body } = await api.call(adoptCall(intent.id))
    expect(body.customer).toBe(customer)
    expect(api.clock() - (await lastUseOf(api, customer))).toBeLessThan(60_000)
  })

  test('a creation writes no event', async () => {
    await createSession(api, '', { merchant: 'quiet' })
    expect((await api.call({ path: '/v1/events', merchant: 'quiet' })).body.data).toEqual([])
  })

  test('a live deployment has livemode true, and accepts only https addresses', async () => {
    const live = await startTestApi({ livemode: true })
    try {
      expect(await createSession(live)).toMatchObject({ livemode: true })
      const plain = createSessionCall(`${intentForm}&success_url=http://shop.test/`)
      expect(await live.call(plain)).toBeRefusal('invalid_request', 'success_url')
    } finally {
      await live.stop()
    }
  })

  test('unknown parameters are ignored', async () => {
    const unknown = 'status=complete&payment_status=paid&id=cs_1&url=x&client_secret=mine&expand[]=customer'
    expect((await create(`${sessionForm}&${unknown}`)).body).toEqual(freshSession())
  })
})

describe('400', () => {
  const rails = `payment_method_types[0]=${PUSH_RAIL}`
  const success = 'success_url=https://shop.test/'
  test.each([
    ['amount', `currency=XAF&${rails}&${success}`],
    ['currency', `amount=1&${rails}&${success}`],
    ['payment_method_types', `amount=1&currency=XAF&${success}`],
    ['success_url', intentForm],
    ['success_url', `${intentForm}&ui_mode=hosted_page&success_url=`],
    // The first of several, in the order of the contract.
    ['amount', `currency=XAF&${rails}&expires_at=1`],
    ['payment_method_types', 'amount=1&currency=XAF'],
  ])('a missing %s is named', async (param, form) => {
    expect(await create(form)).toBeRefusal('invalid_request', param)
  })

  test.each([
    ['line items', 'line_items[0][price]=p', 'line_items'],
    ['a mode', 'mode=payment', 'mode'],
    ['a total', 'amount_total=5000', 'amount_total'],
    ['parts of the intent', 'payment_intent_data[metadata][order]=42', 'payment_intent_data'],
    ['manual capture', 'capture_method=manual', 'capture_method'],
    ['a fee', 'application_fee_amount=1', 'application_fee_amount'],
    ['a transfer', 'transfer_data[destination]=acct_1', 'transfer_data'],
    ['another account', 'on_behalf_of=acct_1', 'on_behalf_of'],
    ['another ui_mode', 'ui_mode=custom', 'ui_mode'],
    ['an empty ui_mode', 'ui_mode=', 'ui_mode'],
    ['another language', 'locale=de', 'locale'],
    ['a long reference', `client_reference_id=${'r'.repeat(201)}`, 'client_reference_id'],
    ['an invalid address', 'cancel_url=shop', 'cancel_url'],
    ['a script for an address', 'cancel_url=javascript:alert(1)', 'cancel_url'],
    ['data for an address', 'return_url=data:text/html,x', 'return_url'],
    ['an address of another kind', 'return_url=ftp://shop.test/', 'return_url'],
    ['an address that is a list', 'cancel_url[]=https://shop.test/', 'cancel_url'],
    ['a long address', `cancel_url=https://shop.test/${'a'.repeat(2048)}`, 'cancel_url'],
    ['a rail that the deployment did not enable', 'payment_method_types[1]=card', 'payment_method_types[1]'],
    ['metadata that is a value', 'metadata=x', 'metadata'],
    ['an expiry that is no number', 'expires_at=tomorrow', 'expires_at'],
    ['an expiry in milliseconds', `expires_at=${Date.now()}`, 'expires_at'],
    ['an expiry with a point', 'expires_at=1.5', 'expires_at'],
    ['a past expiry', 'expires_at=1', 'expires_at'],
  ])('%s is refused by name', async (_, sent, param) => {
    expect(await create(`${sessionForm}&${sent}`)).toBeRefusal('invalid_request', param)
  })

  test.each([
    'https:/shop.test/thanks',
    'https:shop.test/thanks',
    ' https://shop.test/thanks',
    '\nhttps://shop.test/thanks',
    'https:\\\\shop.test\\thanks',
    'https://shop.test/my thanks',
  ])('an address that only a parser of URLs would repair is refused: %j', async (address) => {
    for (const param of ['success_url', 'cancel_url', 'return_url']) {
      const form = `${intentForm}&ui_mode=embedded&${param}=${encodeURIComponent(address)}`
      expect(await create(form)).toBeRefusal('invalid_request', param)
    }
  })

  test.each([
    ['sooner than in half an hour', 29 * 60],
    ['later than in a day', DAY_SEC + 60],
  ])('an expiry %s is refused', async (_, lifeSec) => {
    const answer = await create(`${sessionForm}&expires_at=${secondsFromNow(lifeSec)}`)
    expect(answer).toBeRefusal('invalid_request', 'expires_at')
  })

  test('an unknown, a foreign and an ill-formed customer have the same refusal', async () => {
    const foreign = await insertCustomer(api, 'globex')
    const answers = []
    for (const customer of ['cus_0193f2d5e0a07c3e9b1a2b3c4d5e6f70', foreign, 'cus_x', 'x']) {
      answers.push(await create(`${sessionForm}&customer=${customer}`))
    }
    for (const answer of answers) expect(answer).toBeRefusal('invalid_request', 'customer')
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  })

  test('an unknown, a foreign and an ill-formed intent have the same refusal', async () => {
    const foreign = await createIntent(api, '', { merchant: 'globex' })
    const answers = []
    for (const intent of ['pi_0193f2d5e0a07c3e9b1a2b3c4d5e6f70', foreign.id, 'pi_x', 'x']) {
      answers.push(await api.call(adoptCall(intent)))
    }
    for (const answer of answers) expect(answer).toBeRefusal('invalid_request', 'payment_intent')
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(answers[0]?.text).not.toContain(foreign.id)
  })

  test.each([
    ['amount', 'amount=4999'],
    ['currency', 'currency=EUR'],
    ['description', 'description=Beans'],
    ['payment_method_types', `payment_method_types[]=${EURO_RAIL}`],
    ['customer', 'customer=cus_0193f2d5e0a07c3e9b1a2b3c4d5e6f70'],
  ])('%s that differs from the intent’s is refused, and the intent stays free', async (param, sent) => {
    const { id } = await createIntent(api, '&description=Rice')
    expect(await api.call(adoptCall(id, `&${sent}`))).toBeRefusal('invalid_request', param)
    expect((await api.call(adoptCall(id))).status).toBe(200)
  })

  test('a customer for an intent without one is refused', async () => {
    const customer = await insertCustomer(api)
    const { id } = await createIntent(api)
    expect(await api.call(adoptCall(id, `&customer=${customer}`))).toBeRefusal('invalid_request', 'customer')
  })
})

describe('409', () => {
  test('an erased customer is refused [§3.2]', async () => {
    const customer = await insertCustomer(api, 'acme', { erased: true })
    expect(await create(`${sessionForm}&customer=${customer}`)).toBeRefusal('customer_erased', 'customer')
  })

  test('an intent of an erased customer is refused', async () => {
    const customer = await insertCustomer(api)
    const { id } = await createIntent(api, `&customer=${customer}`)
    await eraseCustomer(api, customer)
    expect(await api.call(adoptCall(id))).toBeRefusal('customer_erased')
  })

  test('an intent has at most one session, ever', async () => {
    const minted = await createSession(api)
    expect(await api.call(adoptCall(minted.payment_intent))).toBeRefusal('intent_has_session')
    const { id } = await createIntent(api)
    const { body: session } = await api.call(adoptCall(id))
    await api.call({ method: 'POST', path: `/v1/checkout/sessions/${session.id}/expire` })
    expect(await api.call(adoptCall(id))).toBeRefusal('intent_has_session')
  })

  test('an intent of an invoice is refused', async () => {
    const { id } = await openInvoice(api)
    const { payment_intent: intent } = await act(api, id, 'pay')
    expect(await api.call(adoptCall(intent ?? ''))).toBeRefusal('intent_has_invoice')
  })

  test('an intent that no longer waits is refused', async () => {
    const [processing, succeeded, canceled] = [
      await confirmedIntent(api, 'waitsForThePayer'),
      await succeededIntent(api),
      await canceledIntent(api),
    ]
    expect(await api.call(adoptCall(processing.id))).toBeRefusal('charge_in_progress')
    const paid = await api.call(adoptCall(succeeded.id))
    expect(paid).toBeRefusal('charge_terminal')
    expect(paid.body.error.message).toBe('This payment intent is paid.')
    expect(await api.call(adoptCall(canceled.id))).toBeRefusal('intent_canceled')
  })

  test('an intent whose payers have used their attempts is refused', async () => {
    const { id } = await createIntent(api)
    await api.mock.control.updateSettings({ mtn: { refusalsAt: 'submit' } })
    const form = `payment_method_data[${PUSH_RAIL}][msisdn]=237670000455`
    for (let n = 0; n < 10; n += 1) {
      expect(await api.call({ ...confirmCall(id), form })).toMatchObject({ status: 200 })
    }
    await api.mock.control.updateSettings({ mtn: { refusalsAt: 'status' } })
    const refused = await api.call(adoptCall(id))
    expect(refused).toBeRefusal('too_many_attempts')
    expect(refused.body.error.message).toMatch(/create a new payment intent/i)
  })

  test('an intent without a rail of this deployment in its currency is refused', async () => {
    const { body: euro } = await api.call(
      createCall(`amount=5000&currency=XAF&payment_method_types[]=${EURO_RAIL}`),
    )
    expect(await api.call(adoptCall(euro.id))).toBeRefusal('intent_has_no_rail')
    const { id } = await createIntent(api)
    const later = await api.deploy(new Map())
    expect(await later.call(adoptCall(id))).toBeRefusal('intent_has_no_rail')
  })
})
