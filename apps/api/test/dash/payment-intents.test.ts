import { afterAll, describe, expect, test } from 'vitest'
import { createCustomer } from '../customer-steps.ts'
import { instruct, PUSH_RAIL, settle } from '../harness.ts'
import { createRefund, creditsOf, readRefund, reservedOf } from '../refunds.ts'
import { disableClient, enableClient } from '../rows.ts'
import {
  confirmCall,
  confirmedIntent,
  createIntent,
  eventsOf,
  eventTypesOf,
  numberOf,
  readIntent,
  succeededIntent,
} from '../steps.ts'
import { handleOf, type StaffMember, startStaffApi } from './staff.ts'
import { attempt, fanOutToMain } from './webhooks.ts'

const api = await startStaffApi()
const vera = await api.signInAs('vera')
const omar = await api.signInAs('omar')
const olga = await api.signInAs('olga')
afterAll(() => api.stop())

const ids = async (query: string) =>
  (await vera.get(`/payment_intents?${query}`)).body.data.map(({ id }: { id: string }) => id)

describe('dash.paymentIntents.list', () => {
  test('200: payments of every merchant, newest first, with the newest charge, and without the payer’s secrets [§4.6]', async () => {
    const one = await createIntent(api, '&metadata[order]=7')
    const two = await createIntent(api, '', { merchant: 'globex' })
    const { status, body } = await vera.get('/payment_intents')
    const { client_secret: _, next_action: __, ...shown } = one
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        object: 'list',
        url: '/dash/v1/payment_intents',
        has_more: false,
        data: [
          expect.objectContaining({ id: two.id, merchant: 'globex' }),
          { ...shown, merchant: 'acme', refund_reserved: 0, charge: null },
        ],
      },
    })
  })

  test('200: each filter shows only matching payments', async () => {
    const paid = await succeededIntent(api)
    const { body: pending } = await readIntent(api, (await confirmedIntent(api, 'staysPending')).id)
    expect(await ids('status=succeeded')).toEqual([paid.id])
    expect(await ids(`rail=${PUSH_RAIL}`)).toEqual([pending.id, paid.id])
    expect(await ids('rail=orange_money_cm')).toEqual([])
    expect(await ids(`payer=${await handleOf(vera, numberOf('approves'))}`)).toEqual([paid.id])
    expect(await ids(`payer=${await handleOf(vera, '+237 6 70 00 04 54')}`)).toEqual([pending.id])
    expect(await ids('merchant=globex')).toHaveLength(1)
    expect(await ids('merchant=nobody')).toEqual([])
    expect(await ids('created[lt]=1700000000')).toEqual([])
    expect(await ids('customer=cus_0193f2d5e0a07c3e9b1a2b3c4d5e6f70')).toEqual([])
    expect((await vera.get('/payment_intents?status=succeeded')).body.data[0].charge).toMatchObject({
      rail: PUSH_RAIL,
      status: 'succeeded',
    })
  })

  test('200: pages over all merchants join without a gap, in both directions', async () => {
    for (const merchant of ['acme', 'globex', 'initech', 'acme', 'globex'])
      await createIntent(api, '', { merchant })
    const all = await ids('limit=100')
    const forward: string[] = []
    for (let after = ''; ; after = `&starting_after=${forward.at(-1)}`) {
      const { body } = await vera.get(`/payment_intents?limit=2${after}`)
      forward.push(...body.data.map(({ id }: { id: string }) => id))
      if (!body.has_more) break
    }
    expect(forward).toEqual(all)
    expect(await ids(`limit=3&ending_before=${all[4]}`)).toEqual(all.slice(1, 4))
  })

  test('400: two cursors, an unknown status or an unknown merchant', async () => {
    expect(await vera.get('/payment_intents?status=failed')).toBeRefusal('invalid_request', 'status')
    expect(await vera.get('/payment_intents?merchant=a/b')).toBeRefusal('invalid_request', 'merchant')
    const pi = 'pi_0193f2d5e0a07c3e9b1a2b3c4d5e6f70'
    const both = await vera.get(`/payment_intents?starting_after=${pi}&ending_before=${pi}`)
    expect(both).toBeRefusal('invalid_request', 'ending_before')
  })
})

describe('dash.paymentIntents.retrieve', () => {
  test('200: charges, refunds, events and deliveries, and one timeline of all', async () => {
    const { id } = await succeededIntent(api)
    const refund = await createRefund(api, id, '&amount=1000')
    await fanOutToMain(api)
    await attempt(api, 'succeeded')
    const { status, body } = await vera.get(`/payment_intents/${id}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ id, merchant: 'acme', status: 'succeeded', refund_reserved: 1_000 })
    expect(body.charges).toEqual([
      {
        id: expect.stringMatching(/^ch_/),
        object: 'charge',
        merchant: 'acme',
        payment_intent: id,
        customer: null,
        rail: PUSH_RAIL,
        status: 'succeeded',
        amount: 5_000,
        currency: 'XAF',
        payer_msisdn: numberOf('approves'),
        reference: expect.any(String),
        rail_txn_id: expect.any(String),
        rail_code: null,
        rail_message: null,
        created: expect.any(Number),
        submit_deadline: expect.any(Number),
        acknowledged_at: expect.any(Number),
        settled_at: expect.any(Number),
        last_query_at: null,
        next_query_at: null,
        not_found_count: 0,
        ruling: null,
        unproven: false,
        returned: false,
        reported: null,
        request_id: expect.stringMatching(/^req_/),
      },
    ])
    expect(body.refunds).toEqual([
      expect.objectContaining({ id: refund.id, instruction: 'accepted', tries: 1 }),
    ])
    expect(body.events.map(({ type }: { type: string }) => type)).toEqual([
      'charge.refunded',
      'payment_intent.succeeded',
    ])
    expect(body.deliveries).toHaveLength(2)
    const told = body.timeline.map(
      ({ source, text, about, state }: Record<'source' | 'text' | 'about' | 'state', string | null>) =>
        [source, text, about, state].filter((word) => word !== null).join(' '),
    )
    expect(told.toSorted()).toEqual(
      [
        'intent created',
        `charge opened ${PUSH_RAIL}`,
        `rail accepted_request ${PUSH_RAIL}`,
        `charge succeeded ${PUSH_RAIL}`,
        'refund created accepted',
        'event payment_intent.succeeded',
        'event charge.refunded',
        'delivery created main',
        'delivery created main',
        'delivery succeeded main',
        'delivery succeeded main',
      ].toSorted(),
    )
    const times = body.timeline.map(({ at }: { at: number }) => at)
    expect(times).toEqual(times.toSorted((a: number, b: number) => a - b))
    expect(JSON.stringify(body)).not.toContain('_secret_')
  })
})

describe('the timeline', () => {
  test('has no event of another object whose metadata names the payment', async () => {
    const { id } = await createIntent(api)
    await api.call(confirmCall(id, 'declines'))
    await settle(api)
    await createCustomer(api, `name=Awa&metadata[failed_payment]=${id}`)
    const { events } = (await vera.get(`/payment_intents/${id}`)).body
    expect(events.map(({ type }: { type: string }) => type)).toEqual(['payment_intent.payment_failed'])
  })

  test('has a refund at its creation, whose later refusal changes no step but its present state', async () => {
    const { id } = await succeededIntent(api)
    const { id: refund } = await createRefund(api, id, '', 'floatIsEmpty')
    const stepsOf = async () =>
      (await vera.get(`/payment_intents/${id}`)).body.timeline.filter(
        (step: { id: string }) => step.id === refund,
      )
    const [first, ...more] = await stepsOf()
    expect([first, more]).toMatchObject([{ source: 'refund', text: 'created', state: 'accepted' }, []])
    for (let n = 0; n < 3; n += 1) await instruct(api, 120_000)
    expect((await readRefund(api, refund)).body.status).toBe('failed')
    expect(await stepsOf()).toEqual([{ ...first, state: 'failed' }])
  })
})

describe('dash.paymentIntents.cancel', () => {
  test('200: by the merchant’s own command, with its event and an audit entry', async () => {
    const { id } = await createIntent(api)
    const { status, body } = await omar.post(`/payment_intents/${id}/cancel`, {
      reason: 'Asked for by mail.',
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      action: 'payment_intent.cancel',
      target: id,
      merchant: 'acme',
      before: { status: 'requires_payment_method' },
      after: { status: 'canceled' },
    })
    expect((await readIntent(api, id)).body).toMatchObject({ status: 'canceled', cancellation_reason: null })
    expect(await eventTypesOf(api, id)).toEqual(['payment_intent.canceled'])
    expect((await vera.get(`/payment_intents/${id}`)).body.audit_entries).toEqual([body])
  })

  test('200: a repetition with the same key returns the same entry, and writes no second one', async () => {
    const { id } = await createIntent(api)
    const path = `/payment_intents/${id}/cancel`
    const first = await omar.post(path, { reason: 'Once.' }, { key: 'same-key' })
    const again = await omar.post(path, { reason: 'Once.' }, { key: 'same-key' })
    expect(again).toMatchObject({ status: 200, text: first.text })
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect(await omar.post(path, { reason: 'Other.' }, { key: 'same-key' })).toBeRefusal(
      'idempotency_key_in_use',
      'idempotency_key',
    )
    const ada = await api.signInAs('ada')
    expect(await ada.post(path, { reason: 'Once.' }, { key: 'same-key' })).toBeRefusal('intent_canceled')
  })

  test('200: ten concurrent requests with one key all return the one entry', async () => {
    const { id } = await createIntent(api)
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        omar.post(`/payment_intents/${id}/cancel`, { reason: 'Ten.' }, { key: `ten-${id}` }),
      ),
    )
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(await eventTypesOf(api, id)).toEqual(['payment_intent.canceled'])
    expect((await omar.get(`/audit_entries?target=${id}`)).body.data).toHaveLength(1)
  })

  test('409: an intent that cannot be canceled, and one of a disabled merchant; nothing is written', async () => {
    const { id } = await succeededIntent(api)
    const path = `/payment_intents/${id}/cancel`
    expect(await omar.post(path, { reason: 'No.' })).toBeRefusal('charge_terminal')
    const other = await createIntent(api, '', { merchant: 'hooli' })
    await disableClient(api, 'hooli')
    const closed = `/payment_intents/${other.id}/cancel`
    expect(await omar.post(closed, { reason: 'No.' }, { key: 'later' })).toBeRefusal('client_disabled')
    expect((await omar.get(`/audit_entries?target=${other.id}`)).body.data).toEqual([])
    await enableClient(api, 'hooli')
    expect((await omar.post(closed, { reason: 'No.' }, { key: 'later' })).status).toBe(200)
  })
})

describe('dash.paymentIntents.refund', () => {
  const refundsOf = async (id: string) => (await omar.get(`/payment_intents/${id}`)).body.refunds

  test('200: created and announced at once, to the number that paid; the worker instructs the rail once', async () => {
    const { id } = await succeededIntent(api)
    const { status, body } = await omar.post(`/payment_intents/${id}/refund`, {
      amount: '2000',
      reason: 'Ticket 9.',
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      action: 'refund.create',
      target: id,
      merchant: 'acme',
      before: { refund_reserved: 0 },
      after: { refund: expect.stringMatching(/^re_/), amount: 2_000, currency: 'XAF' },
    })
    expect(JSON.stringify(body)).not.toContain(numberOf('approves'))
    const [refund] = await refundsOf(id)
    expect(refund).toMatchObject({
      id: body.after.refund,
      status: 'pending',
      instruction: 'unsent',
      amount: 2_000,
    })
    expect(await reservedOf(api, id)).toBe(2_000)
    expect((await eventsOf(api, refund.id)).map(({ type }) => type)).toEqual(['charge.refunded'])
    expect(await creditsOf(api, refund.id)).toEqual([])
    await instruct(api)
    await instruct(api)
    expect((await refundsOf(id))[0]).toMatchObject({ status: 'pending', instruction: 'accepted' })
    expect(await creditsOf(api, refund.id)).toHaveLength(1)
    expect((await readRefund(api, refund.id)).body).toMatchObject({ id: refund.id, status: 'pending' })
  })

  test('200: the rest, to the payer’s number in local spelling; a repetition with the same key is the same refund', async () => {
    const { id } = await succeededIntent(api)
    await createRefund(api, id, '&amount=1000')
    const form = { msisdn: numberOf('approves').slice(3), reason: 'Their phone was lost.' }
    const first = await omar.post(`/payment_intents/${id}/refund`, form, { key: `rest-${id}` })
    expect(first.body.after).toMatchObject({ amount: 4_000 })
    const again = await omar.post(`/payment_intents/${id}/refund`, form, { key: `rest-${id}` })
    expect(again.text).toBe(first.text)
    expect(await reservedOf(api, id)).toBe(5_000)
  })

  test('of ten concurrent requests never refunds more than was paid', async () => {
    const { id } = await succeededIntent(api)
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        omar.post(`/payment_intents/${id}/refund`, { amount: '2000', reason: 'Ten.' }),
      ),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expect(answer).toBeRefusal('invalid_request', 'amount')
    }
    expect(await reservedOf(api, id)).toBe(4_000)
  })

  test('409: a colleague has refunded it since the author looked, in part or in full', async () => {
    const { id } = await succeededIntent(api)
    const path = `/payment_intents/${id}/refund`
    const seen = String((await omar.get(`/payment_intents/${id}`)).body.refund_reserved)
    const refund = (who: StaffMember, amount: string, seen_refund_reserved = seen, more = {}) =>
      who.post(path, { amount, seen_refund_reserved, reason: 'The payer called.', ...more })
    expect((await refund(olga, '500')).status).toBe(200)
    expect(await refund(omar, '500')).toBeRefusal('intent_changed')
    expect(await refund(omar, '500', seen, { msisdn: '237670009999' })).toBeRefusal('intent_changed')
    expect((await refund(olga, '4500', '500')).status).toBe(200)
    expect(await refund(omar, '500', '500')).toBeRefusal('intent_changed')
    expect(await reservedOf(api, id)).toBe(5_000)
  })

  test('of two people who refund what both saw at once, one refunds it', async () => {
    const { id } = await succeededIntent(api)
    const form = { amount: '500', seen_refund_reserved: '0', reason: 'The payer called.' }
    const answers = await Promise.all(
      [omar, olga, omar, olga].map((who) => who.post(`/payment_intents/${id}/refund`, form)),
    )
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused).toHaveLength(3)
    for (const answer of refused) expect(answer).toBeRefusal('intent_changed')
    expect(await reservedOf(api, id)).toBe(500)
  })

  test('400: an invalid amount or number; 409: an unpaid payment', async () => {
    const { id } = await succeededIntent(api)
    const path = `/payment_intents/${id}/refund`
    expect(await omar.post(path, { amount: '1.5', reason: 'No.' })).toBeRefusal('invalid_request', 'amount')
    expect(await omar.post(path, { amount: '5001', reason: 'No.' })).toBeRefusal('invalid_request', 'amount')
    const unseen = { seen_refund_reserved: '-1', reason: 'No.' }
    expect(await omar.post(path, unseen)).toBeRefusal('invalid_request', 'seen_refund_reserved')
    expect(await omar.post(path, { msisdn: '12', reason: 'No.' })).toBeRefusal('invalid_request', 'msisdn')
    const open = await createIntent(api)
    const early = await omar.post(`/payment_intents/${open.id}/refund`, { reason: 'No.' })
    expect(early).toBeRefusal('intent_not_succeeded')
  })
})
