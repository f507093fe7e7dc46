import { randomUUID } from 'node:crypto'
import { BrowserIntent } from '@merchant-payments/contract'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { act, openInvoice } from '../../bills.ts'
import {
  ORANGE_RAIL,
  PUSH_RAIL,
  settle,
  startTestApi,
  type TestAnswer,
  type TestCall,
} from '../../harness.ts'
import { openOrange } from '../../orange.ts'
import { chargeStatesOf, disableClient, enableClient, eraseCustomer, insertCustomer } from '../../rows.ts'
import { createSession, createSessionCall, DAY_SEC, expireCall, readSession } from '../../sessions.ts'
import { cancelCall, confirmCall, confirmForm, createIntent, eventTypesOf, readIntent } from '../../steps.ts'
import { browserCall, confirmInBrowser, readInBrowser, wrongCredentials } from '../calls.ts'

const api = await startTestApi()
const orange = await openOrange(api)
afterAll(async () => {
  await orange.stop()
  await api.stop()
})
/** docs/spec-gaps.md. */
const PAYER_CHARGES_MAX = 10

/** The last digits of a number without an account, which the rail refuses at once. */
const refusedNumber = (n: number) =>
  `payment_method_data[${PUSH_RAIL}][msisdn]=23767${String(n).padStart(4, '0')}455`

afterEach(() => enableClient(api, 'acme'))

describe('200', () => {
  test('the charge is open, and the body equals the next read, except for the number', async () => {
    const { id, client_secret: secret } = await createIntent(api, '&metadata[order]=42')
    const answer = await api.call(confirmInBrowser(id, secret, { ending: 'waitsForThePayer' }))
    expect(answer).toMatchObject({
      status: 200,
      body: {
        status: 'processing',
        next_action: null,
        live_charge: { payment_method_type: PUSH_RAIL },
        metadata: { order: '42' },
        customer: null,
        invoice: null,
      },
    })
    expect(BrowserIntent.parse(answer.body)).toEqual(answer.body)
    expect(answer.text).not.toMatch(/secret/)
    // The answer is stored under its key, and no stored answer holds a number.
    expect(answer.body.live_charge.payer_number).toBe(null)
    const read = await api.call(readInBrowser(id, secret))
    expect(read.body.live_charge.payer_number).toMatch(/^[\d •]+$/)
    read.body.live_charge.payer_number = null
    expect(JSON.stringify(read.body)).toBe(answer.text)
  })

  test('works through a session, which its success completes', async () => {
    const session = await createSession(api)
    const answer = await api.call(confirmInBrowser(session.payment_intent, session.client_secret))
    expect(answer).toMatchObject({ status: 200, body: { status: 'processing' } })
    await settle(api)
    expect((await readSession(api, session.id)).body).toMatchObject({
      status: 'complete',
      payment_status: 'paid',
      url: null,
    })
    expect(await eventTypesOf(api, session.payment_intent)).toEqual(['payment_intent.succeeded'])
  })

  test('an immediate refusal is the answer, and leaves no live charge', async () => {
    const { id, client_secret: secret } = await createIntent(api)
    await api.call(confirmInBrowser(id, secret, { ending: 'declines' }))
    await settle(api)
    expect((await api.call(readInBrowser(id, secret))).body).toMatchObject({
      status: 'requires_payment_method',
      live_charge: null,
    })
    expect((await api.call(confirmInBrowser(id, secret))).status).toBe(200)
  })

  test.each([`payment_method_data[${ORANGE_RAIL}]=`, `payment_method_data[type]=${ORANGE_RAIL}`])(
    'on a redirect rail, by %s, with the page to go to',
    async (data) => {
      const form = `amount=5000&currency=XAF&payment_method_types[]=${ORANGE_RAIL}&ui_mode=embedded`
      const session = (await orange.call(createSessionCall(form))).body
      const returnUrl = 'https://pay.test/c/back'
      const call = confirmInBrowser(session.payment_intent, session.client_secret, {
        form: `${data}&return_url=${returnUrl}&locale=fr`,
      })
      const answer = await orange.call(call)
      expect(answer).toMatchObject({
        status: 200,
        body: {
          status: 'processing',
          next_action: { type: 'redirect_to_url', redirect_to_url: { return_url: returnUrl } },
          live_charge: { payment_method_type: ORANGE_RAIL },
        },
      })
    },
  )

  test('a replay returns the same answer, byte for byte, and opens no charge', async () => {
    const { id, client_secret: secret } = await createIntent(api)
    const call = confirmInBrowser(id, secret, { ending: 'waitsForThePayer', key: randomUUID() })
    const first = await api.call(call)
    expect(await api.call(call)).toReplay(first)
    expect(await chargeStatesOf(api, id)).toEqual(['live'])
  })

  test('a customer in a payer’s request is ignored', async () => {
    const customer = await insertCustomer(api)
    const { id, client_secret: secret } = await createIntent(api)
    const form = `${confirmForm()}&customer=${customer}`
    expect((await api.call(confirmInBrowser(id, secret, { form }))).status).toBe(200)
    expect((await readIntent(api, id)).body.customer).toBeNull()
  })
})

describe('keys', () => {
  test('of a payer are separate from those of the merchant and of other intents', async () => {
    const [one, other] = [await createIntent(api), await createIntent(api)]
    const key = randomUUID()
    const create = { path: '/v1/payment_intents', form: 'amount=x', key }
    expect(await api.call(create)).toBeRefusal('invalid_request', 'amount')
    for (const { id, client_secret: secret } of [one, other]) {
      const answer = await api.call(confirmInBrowser(id, secret, { key }))
      expect(answer.headers).not.toHaveProperty('idempotent-replayed')
      expect(answer.status).toBe(200)
    }
    const again = await api.call(create)
    expect(again.headers['idempotent-replayed']).toBe('true')
  })

  test('of one intent work with both its secrets', async () => {
    const session = await createSession(api)
    const { client_secret: own } = (await readIntent(api, session.payment_intent)).body
    const call = { ending: 'waitsForThePayer', key: randomUUID() } as const
    const first = await api.call(confirmInBrowser(session.payment_intent, session.client_secret, call))
    expect(await api.call(confirmInBrowser(session.payment_intent, own, call))).toReplay(first)
  })

  test('with another body are in use', async () => {
    const { id, client_secret: secret } = await createIntent(api)
    const key = randomUUID()
    await api.call(confirmInBrowser(id, secret, { key }))
    const other = confirmInBrowser(id, secret, { key, ending: 'declines' })
    expect(await api.call(other)).toBeRefusal('idempotency_key_in_use', 'idempotency_key')
  })
})

describe('400', () => {
  test.each([
    ['no rail', 'locale=fr', 'payment_method_data'],
    ['no number', `payment_method_data[${PUSH_RAIL}]=`, `payment_method_data[${PUSH_RAIL}][msisdn]`],
    [
      'only a push rail',
      `payment_method_data[type]=${PUSH_RAIL}`,
      `payment_method_data[${PUSH_RAIL}][msisdn]`,
    ],
    ['a rail that is not offered', 'payment_method_data[card][msisdn]=1', 'payment_method_data[card]'],
    ['another language', `${confirmForm()}&locale=de`, 'locale'],
    ['manual capture', `${confirmForm()}&capture_method=manual`, 'capture_method'],
  ])('%s is refused by name, and the refusal is stored', async (_, form, param) => {
    const { id, client_secret: secret } = await createIntent(api)
    const call = confirmInBrowser(id, secret, { form, key: randomUUID() })
    const first = await api.call(call)
    expect(first).toBeRefusal('invalid_request', param)
    expect(await api.call(call)).toReplay(first)
  })

  test('a missing key, and a JSON body', async () => {
    const { id, client_secret: secret } = await createIntent(api)
    const keyless = confirmInBrowser(id, secret, { key: null })
    expect(await api.call(keyless)).toBeRefusal('invalid_request', 'idempotency_key')
    const headers = { 'content-type': 'application/json' }
    const json = confirmInBrowser(id, secret, { form: '{}', headers, key: null })
    expect(await api.call(json)).toBeRefusal('invalid_request')
  })
})

describe('404', () => {
  test('every fault has the same answer, byte for byte, before any check of parameters', async () => {
    const { id, client_secret: secret = '' } = await createIntent(api)
    const other = await createIntent(api)
    const read = await api.call(readInBrowser(id, 'wrong'))
    for (const [fault, shown] of wrongCredentials(id, secret, other.client_secret ?? '')) {
      for (const extra of [{ form: confirmForm() }, { form: '{', key: null }]) {
        const path = `/payment_intents/${id}/confirm`
        const answer = await api.call(browserCall(path, shown, { method: 'POST', ...extra }))
        expect([fault, answer.text]).toEqual([fault, read.text])
        expect(answer).toBeRefusal('resource_missing')
      }
    }
    expect(await chargeStatesOf(api, id)).toEqual([])
  })

  test('a payer of a disabled client gets no stored answer either', async () => {
    const { id, client_secret: secret } = await createIntent(api)
    const call = confirmInBrowser(id, secret, { key: randomUUID() })
    await api.call(call)
    await disableClient(api, 'acme')
    expect(await api.call(call)).toBeRefusal('resource_missing')
  })
})

describe('409', () => {
  test('an open charge, a paid and a canceled intent', async () => {
    const { id, client_secret: secret } = await createIntent(api)
    await api.call(confirmInBrowser(id, secret))
    expect(await api.call(confirmInBrowser(id, secret))).toBeRefusal('charge_in_progress')
    await settle(api)
    const paid = await api.call(confirmInBrowser(id, secret))
    expect(paid).toBeRefusal('charge_terminal')
    expect(paid.body.error.message).toBe('This payment intent is paid.')
    const canceled = await createIntent(api)
    await api.call(cancelCall(canceled.id))
    const call = confirmInBrowser(canceled.id, canceled.client_secret)
    expect(await api.call(call)).toBeRefusal('intent_canceled')
  })

  test('an intent of an erased customer, and one of an invoice that was voided', async () => {
    const customer = await insertCustomer(api)
    const { id, client_secret: secret } = await createIntent(api, `&customer=${customer}`)
    await eraseCustomer(api, customer)
    expect(await api.call(confirmInBrowser(id, secret))).toBeRefusal('customer_erased')
    const invoice = await openInvoice(api)
    const { payment_intent: intent } = await act(api, invoice.id, 'pay')
    await act(api, invoice.id, 'void')
    const { body } = await readIntent(api, intent ?? '')
    expect(await api.call(confirmInBrowser(body.id, body.client_secret))).toBeRefusal('invoice_void')
  })

  test('a link that has used its charges, for every number; stored answers are replayed, and the merchant can continue', async () => {
    await api.mock.control.updateSettings({ mtn: { refusalsAt: 'submit' } })
    const { id, client_secret: secret } = await createIntent(api)
    const tries = Array.from({ length: PAYER_CHARGES_MAX }, (_, n) =>
      confirmInBrowser(id, secret, { form: refusedNumber(n), key: randomUUID() }),
    )
    const firsts: { call: TestCall; first: TestAnswer }[] = []
    for (const call of tries) firsts.push({ call, first: await api.call(call) })
    expect(new Set(firsts.map(({ first }) => first.status))).toEqual(new Set([200]))
    for (const form of [refusedNumber(11), confirmForm()]) {
      const call = confirmInBrowser(id, secret, { form, key: randomUUID() })
      const first = await api.call(call)
      expect(first).toBeRefusal('too_many_attempts')
      expect(await api.call(call)).toReplay(first)
    }
    for (const { call, first } of firsts) expect(await api.call(call)).toReplay(first)
    expect(await chargeStatesOf(api, id)).toHaveLength(PAYER_CHARGES_MAX)
    await api.mock.control.updateSettings({ mtn: { refusalsAt: 'status' } })
    expect((await api.call(confirmCall(id))).status).toBe(200)
  })

  test('the secret of a session that the merchant ended; the intent’s own secret still works', async () => {
    const session = await createSession(api)
    await api.call(expireCall(session.id))
    const call = confirmInBrowser(session.payment_intent, session.client_secret, { key: randomUUID() })
    const first = await api.call(call)
    expect(first).toBeRefusal('session_not_open')
    expect(await api.call(call)).toReplay(first)
    expect(await chargeStatesOf(api, session.payment_intent)).toEqual([])
    const { client_secret: own } = (await readIntent(api, session.payment_intent)).body
    expect((await api.call(confirmInBrowser(session.payment_intent, own))).status).toBe(200)
  })

  test('the secret of a session after its end, swept or not', async () => {
    const session = await createSession(api)
    api.advance(DAY_SEC * 1000)
    const call = confirmInBrowser(session.payment_intent, session.client_secret)
    expect(await api.call(call)).toBeRefusal('session_not_open')
  })

  test('the secret of an open session while a charge is open, because of the charge', async () => {
    const session = await createSession(api)
    await api.call(confirmCall(session.payment_intent))
    const call = confirmInBrowser(session.payment_intent, session.client_secret)
    expect(await api.call(call)).toBeRefusal('charge_in_progress')
  })

  test('the secret of a complete session', async () => {
    const session = await createSession(api)
    await api.call(confirmCall(session.payment_intent))
    await settle(api)
    const answer = await api.call(confirmInBrowser(session.payment_intent, session.client_secret))
    expect(answer).toBeRefusal('session_not_open')
    expect(answer.body.error.message).toBe('This checkout session is paid.')
  })

  test('but a stored answer is still replayed after the end', async () => {
    const session = await createSession(api)
    const call = confirmInBrowser(session.payment_intent, session.client_secret, { key: randomUUID() })
    const first = await api.call(call)
    expect(first.status).toBe(200)
    await settle(api)
    expect(await api.call(call)).toReplay(first)
  })
})

describe('502', () => {
  test('an unreachable rail releases the key, and the same request then opens another charge', async () => {
    const session = await createSession(api)
    const call = confirmInBrowser(session.payment_intent, session.client_secret, { key: randomUUID() })
    await api.wire.cut()
    expect(await api.call(call)).toBeRefusal('provider_unavailable')
    await api.wire.mend()
    expect((await api.call(call)).status).toBe(200)
    expect(await chargeStatesOf(api, session.payment_intent)).toEqual(['abandoned', 'live'])
  })

  test('the same request, sent again after it has paid, shows the charge that paid, without the number', async () => {
    const { id, client_secret: secret } = await createIntent(api)
    const call = confirmInBrowser(id, secret, { key: randomUUID(), ending: 'acceptedThenReset' })
    expect(await api.call(call)).toBeRefusal('provider_unavailable')
    await settle(api)
    const again = await api.call(call)
    const { succeeded_charge: paid, ...shown } = (await api.call(readInBrowser(id, secret))).body
    expect(again).toMatchObject({
      status: 200,
      body: {
        ...shown,
        status: 'succeeded',
        live_charge: null,
        succeeded_charge: { ...paid, payer_number: null },
      },
    })
    expect(paid.succeeded_at).toEqual(expect.any(Number))
  })

  test('the same request, sent again after its charge has failed, shows the charge that a later one opened', async () => {
    const { id, client_secret: secret } = await createIntent(api)
    const call = confirmInBrowser(id, secret, { key: randomUUID(), ending: 'declines' })
    await api.mock.control.addFault({ operation: 'submit', kind: 'reset', when: 'after' })
    expect(await api.call(call)).toBeRefusal('provider_unavailable')
    await settle(api)
    const later = await api.call(confirmInBrowser(id, secret, { ending: 'waitsForThePayer' }))
    expect(later).toMatchObject({ status: 200, body: { status: 'processing' } })
    expect(await chargeStatesOf(api, id)).toEqual(['failed', 'live'])
    expect(later.body.live_charge).not.toBe(null)
    expect(await api.call(call)).toMatchObject({ status: 200, body: later.body })
  })

  test('but not after the session has ended', async () => {
    const session = await createSession(api)
    const call = confirmInBrowser(session.payment_intent, session.client_secret, { key: randomUUID() })
    await api.wire.cut()
    await api.call(call)
    await api.wire.mend()
    await api.call(expireCall(session.id))
    expect(await api.call(call)).toBeRefusal('session_not_open')
    expect(await chargeStatesOf(api, session.payment_intent)).toEqual(['abandoned'])
  })
})
