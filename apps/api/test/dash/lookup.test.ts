import type { AuditEntry } from '@merchant-payments/contract'
import { collectPayerNumbers, NUMBER_HANDLE_MS } from '@merchant-payments/core'
import { afterAll, describe, expect, test } from 'vitest'
import { openInvoice } from '../bills.ts'
import { createCustomer } from '../customer-steps.ts'
import { createRefund } from '../refunds.ts'
import { createSession } from '../sessions.ts'
import { settle } from '../harness.ts'
import { confirmCall, createCall, intentForm, succeededIntent } from '../steps.ts'
import { payTwice } from './paid-twice.ts'
import { handleOf, startStaffApi } from './staff.ts'
import { fanOutToMain } from './webhooks.ts'

const DAY_MS = 86_400_000

/** Without what is random, because it may contain any four digits. */
const factsOf = ({ target, reason, before, after }: AuditEntry) => ({
  target: target.replace(/^num_hash_1v[\w-]{43}$/, 'a hash'),
  reason,
  before,
  after,
})

const api = await startStaffApi()
const vera = await api.signInAs('vera')
afterAll(() => api.stop())

async function paidIntent(form: string): Promise<{ id: string }> {
  const { body } = await api.call(createCall(form))
  await api.call(confirmCall(body.id, 'approves'))
  await settle(api)
  return body
}

const found = async (text: string) => (await vera.lookUp(text)).body.matches

describe('dash.lookup.retrieve', () => {
  test('200: the object of an id, by its prefix', async () => {
    const { id: intent } = await succeededIntent(api)
    const refund = await createRefund(api, intent)
    const session = await createSession(api)
    const customer = await createCustomer(api, 'phone=677112233', { merchant: 'globex' })
    const invoice = await openInvoice(api)
    await fanOutToMain(api)
    const { body } = await vera.get(`/payment_intents/${intent}`)
    const [charge, event, delivery] = [body.charges[0], body.events[0], body.deliveries[0]]
    const acme = {
      matched: 'id',
      merchant: 'acme',
      payment_intent: null,
      name: null,
      status: null,
      amount: null,
      currency: null,
      created: expect.any(Number),
    }
    const paid = { ...acme, status: 'succeeded', amount: charge.amount, currency: 'XAF' }
    expect(await found(intent)).toEqual([{ kind: 'payment_intent', id: intent, ...paid }])
    const ofCharge = { kind: 'charge', id: charge.id, ...paid, payment_intent: intent }
    expect(await found(` ${charge.id}\n`)).toEqual([ofCharge])
    expect(await found(refund.id)).toEqual([
      {
        kind: 'refund',
        id: refund.id,
        ...paid,
        amount: refund.amount,
        status: 'pending',
        payment_intent: intent,
      },
    ])
    expect(await found(session.id)).toEqual([
      {
        ...acme,
        kind: 'checkout_session',
        id: session.id,
        status: 'open',
        payment_intent: session.payment_intent,
      },
    ])
    expect(await found(event.id)).toEqual([{ kind: 'event', id: event.id, ...acme }])
    expect(await found(delivery.id)).toEqual([
      { kind: 'delivery', id: delivery.id, ...acme, status: 'pending' },
    ])
    expect(await found(invoice.id)).toMatchObject([
      { kind: 'invoice', id: invoice.id, status: 'open', amount: invoice.total, currency: 'XAF' },
    ])
    const match = { ...acme, kind: 'customer', id: customer.id, merchant: 'globex' }
    expect(await found(customer.id)).toEqual([match])
    expect(await found('+237 6 77 11 22 33')).toEqual([{ ...match, matched: 'number' }])
    expect(await found(charge.reference)).toEqual([{ ...ofCharge, matched: 'reference' }])
  })

  test('200: a return by its id', async () => {
    const own = await startStaffApi()
    const omar = await own.signInAs('omar')
    const { intent, charge } = await payTwice(own, omar)
    const { body } = await omar.post(`/charges/${charge.id}/return`, { reason: 'Paid twice.' })
    const id = body.after.return
    expect((await omar.lookUp(id)).body.matches).toMatchObject([
      {
        kind: 'charge_return',
        matched: 'id',
        id,
        payment_intent: intent,
        status: 'unsent',
        amount: charge.amount,
      },
    ])
    expect((await omar.lookUp(`rt_${'0'.repeat(32)}`)).body.matches).toEqual([])
    await own.stop()
  })

  test('200: the charges of a payer’s number, or of its last four digits or more', async () => {
    const own = await startStaffApi()
    const asks = await own.signInAs('vera')
    const { id: intent } = await succeededIntent(own)
    const { body } = await asks.get(`/payment_intents/${intent}`)
    const { id, payer_msisdn: number } = body.charges[0]
    const ids = async (text: string) =>
      (await asks.lookUp(text)).body.matches.map((match: { id: string }) => match.id)
    for (const text of [number, number.slice(3), number.slice(-4), number.slice(-6)]) {
      expect([text, await ids(text)]).toEqual([text, [id]])
    }
    expect(await ids(number.slice(-3))).toEqual([])
    expect(await ids(number.slice(2, 7))).toEqual([id])
    expect(await ids(`9${number.slice(-4)}`)).toEqual([])
    const payer = await handleOf(asks, number)
    expect((await asks.get(`/payment_intents?payer=${payer}`)).body.data).toMatchObject([{ id: intent }])
    expect((await asks.get(`/payment_intents?payer=${payer}&status=canceled`)).body.data).toEqual([])
    const { data } = (await asks.get('/audit_entries?action=number.look_up')).body
    expect(data.length).toBeGreaterThan(3)
    expect(JSON.stringify(data.map(factsOf))).not.toContain(number.slice(-4))
    await own.stop()
  })

  test('200: a charge of 40 days ago by digits from the middle of its payer’s number, until the payer is erased', async () => {
    const own = await startStaffApi()
    const customer = await createCustomer(own, 'name=Awa')
    const { body: intent } = await own.call(createCall(`${intentForm}&customer=${customer.id}`))
    await own.call(confirmCall(intent.id, 'approves'))
    await settle(own)
    own.advance(40 * DAY_MS)
    const asks = await own.signInAs('ada')
    const { body } = await asks.get(`/payment_intents/${intent.id}`)
    const { id, payer_msisdn: number } = body.charges[0]
    const part = number.slice(4, 8)
    const ids = async () => (await asks.lookUp(part)).body.matches.map((match: { id: string }) => match.id)
    expect(await ids()).toEqual([])
    await collectPayerNumbers({ ...own, alert: () => undefined })
    expect(await ids()).toEqual([id])
    const erased = await asks.post(`/customers/${customer.id}/erase`, { reason: 'Ticket 7.' })
    expect(erased.status).toBe(200)
    expect(await ids()).toEqual([])
    await own.stop()
  })

  test.each([
    'pi_0193f2d5e0a07c3e9b1a2b3c4d5e6f70',
    'wd_0193f2d5e0a07c3e9b1a2b3c4d5e6f70',
    'nothing',
    '%',
    "' or 1=1",
  ])('200: no object matches %j', async (text) => {
    expect(await found(text)).toEqual([])
  })

  test('200: a payment by the operator’s SMS, and by its order number, as a value or as a pair', async () => {
    const { id } = await paidIntent(`${intentForm}&metadata[order]=A-1042&metadata[shop]=Akwa`)
    const [charge] = (await vera.get(`/payment_intents/${id}`)).body.charges
    const sms = `Votre paiement de 200 XAF a ete effectue. Transaction Id: ${charge.rail_txn_id}.`
    for (const text of [charge.rail_txn_id, sms]) {
      expect(await found(text)).toMatchObject([
        {
          kind: 'charge',
          matched: 'rail_transaction',
          id: charge.id,
          payment_intent: id,
          status: 'succeeded',
        },
      ])
    }
    const payment = {
      kind: 'payment_intent',
      matched: 'metadata',
      id,
      amount: charge.amount,
      currency: 'XAF',
    }
    for (const text of ['A-1042', 'order=A-1042']) expect(await found(text)).toMatchObject([payment])
    for (const text of ['A-104', 'a-1042', 'shop=A-1042', 'order=']) expect(await found(text)).toEqual([])
  })

  test('200: a session by the shop’s own reference', async () => {
    const { id } = await createSession(api, '&client_reference_id=cart-77')
    expect(await found('cart-77')).toMatchObject([
      { kind: 'checkout_session', matched: 'client_reference', id, status: 'open' },
    ])
  })

  test('200: customers by the words of their name, in any case and without accents, and by their e-mail', async () => {
    const { id } = await createCustomer(api, 'name=Aïcha+Ngo-Bassong&email=Aicha@Example.com')
    const customer = { kind: 'customer', id, name: 'Aïcha Ngo-Bassong', amount: null }
    for (const text of ['aicha', 'AÏCHA ngo', 'Bassong Aïcha', 'bass']) {
      expect(await found(text)).toMatchObject([{ ...customer, matched: 'name' }])
    }
    expect(await found('aicha@example.COM')).toMatchObject([{ ...customer, matched: 'email' }])
    for (const text of ['aicha nkeng', 'cha', 'aicha@example.co']) expect(await found(text)).toEqual([])
    const ada = await api.signInAs('ada')
    await ada.post(`/customers/${id}/erase`, { reason: 'Asked by the customer.' })
    for (const text of ['aicha', 'aicha@example.com', '[redacted]', 'redacted']) {
      expect(await found(text)).toEqual([])
    }
  })

  test('200: an amount leads to the list of payments', async () => {
    const { id } = await paidIntent(intentForm.replace(/amount=\d+/, 'amount=73210'))
    for (const text of ['73210', '73 210', '73,210 FCFA']) {
      expect((await vera.lookUp(text)).body.amount).toBe(73_210)
    }
    expect((await vera.get('/payment_intents?amount=73210')).body.data).toMatchObject([{ id }])
    expect((await vera.lookUp('A-1042')).body.amount).toBeNull()
  })

  test('400: an empty or too long text', async () => {
    expect(await vera.post('/lookup', {})).toBeRefusal('invalid_request', 'q')
    expect(await vera.lookUp('a'.repeat(501))).toBeRefusal('invalid_request', 'q')
    expect(await vera.post('/lookup', { q: 'x', colour: 'red' })).toBeRefusal('invalid_request', 'colour')
  })

  test('405: by GET', async () => {
    expect((await vera.get('/lookup?q=670000001')).status).toBe(405)
  })
})

describe('dash.lookup.retrieve, by a reference', () => {
  test('200: a charge by its reference, also if its rail has left the configuration', async () => {
    const { id } = await succeededIntent(api)
    const [charge] = (await vera.get(`/payment_intents/${id}`)).body.charges
    for (const rail of ['a_rail_of_old', 'z_rail_of_old']) {
      await api.owner.transact((tx) =>
        tx.updateTable('charges').set({ rail }).where('id', '=', charge.id.slice(3)).execute(),
      )
      expect(await found(charge.reference)).toMatchObject([{ id: charge.id, matched: 'reference' }])
    }
  })
})

describe('the handle of a number', () => {
  const lists = ['/payment_intents', '/customers']

  test('exists only for a number, reveals nothing of it, and differs each time', async () => {
    const handles = [await handleOf(vera, '677 11 22 33'), await handleOf(vera, '+237677112233')]
    for (const handle of handles) {
      expect(handle).toMatch(/^num_1v[\w-]{62}$/)
      const sealed = Buffer.from(handle.slice('num_1v'.length), 'base64url').toString('latin1')
      for (const text of [handle, sealed]) expect(text).not.toContain('677112233')
    }
    expect(new Set(handles).size).toBe(2)
    expect(await handleOf(vera, 'nothing')).toBeNull()
    expect(await handleOf(vera, 'pi_0193f2d5e0a07c3e9b1a2b3c4d5e6f70')).toBeNull()
  })

  test('works for every signed-in member, on each list', async () => {
    const omar = await api.signInAs('omar')
    const { id } = await createCustomer(api, 'phone=677445566')
    const payer = await handleOf(vera, '677 44 55 66')
    expect((await omar.get(`/customers?payer=${payer}`)).body.data).toMatchObject([{ id }])
    expect((await omar.get(`/payment_intents?payer=${payer}`)).body.data).toEqual([])
  })

  test.each(lists)('400: %s accepts no other text, no altered handle, and no number', async (list) => {
    const handle = await handleOf(vera, '677112233')
    const last = handle.at(-2) === 'A' ? 'B' : 'A'
    const altered = `${handle.slice(0, -2)}${last}${handle.at(-1)}`
    for (const payer of [
      '677112233',
      'x',
      'num_',
      'num_1v',
      'num_1vAAAA',
      altered,
      handle.replace('1v', '2v'),
    ]) {
      expect(await vera.get(`${list}?payer=${payer}`)).toBeRefusal('invalid_request', 'payer')
    }
    expect(await vera.get(`${list}?phone=677112233`)).toBeRefusal('invalid_request', 'phone')
  })

  test.each(lists)('400: %s accepts it for twelve hours', async (list) => {
    const own = await startStaffApi()
    const payer = await handleOf(await own.signInAs('vera'), '677112233')
    own.advance(NUMBER_HANDLE_MS - 60_000)
    const later = await own.signInAs('vera')
    expect((await later.get(`${list}?payer=${payer}`)).status).toBe(200)
    own.advance(60_000)
    expect(await later.get(`${list}?payer=${payer}`)).toBeRefusal('invalid_request', 'payer')
    await own.stop()
  })
})
