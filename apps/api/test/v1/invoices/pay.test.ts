import type { Invoice } from '@merchant-payments/contract'
import { afterAll, describe, expect, test } from 'vitest'
import {
  act,
  actionCall,
  addItem,
  chargeInvoice,
  draftInvoice,
  openInvoice,
  readInvoice,
} from '../../bills.ts'
import { EURO_RAIL, PUSH_RAIL, settle, startTestApi } from '../../harness.ts'
import { chargesOf, eraseCustomer, insertCustomer, lastUseOf } from '../../rows.ts'
import { cancelCall, confirmCall, eventsOf, eventTypesOf, readIntent } from '../../steps.ts'
import { answerToStrangers } from '../same-refusal.ts'

const api = await startTestApi()
afterAll(() => api.stop())

const pay = (id: string) => api.call(actionCall(id, 'pay'))

const intentsOf = async (invoice: string) =>
  api.db.reader
    .selectFrom('payment_intents')
    .select(['id', 'status'])
    .where('invoice_id', '=', invoice.slice(3))
    .orderBy('id')
    .execute()

describe('200', () => {
  test('creates an intent over the invoice’s total, for its customer, and returns its id [§2.6]', async () => {
    const open = await openInvoice(api, '&description=May')
    const answer = await pay(open.id)
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 200,
      body: { ...open, payment_intent: expect.stringMatching(/^pi_[0-9a-f]{32}$/) },
    })
    expect(answer).toHaveRequestId()
    expect((await readInvoice(api, open.id)).body).toEqual(answer.body)
    const { body: intent } = await readIntent(api, answer.body.payment_intent)
    expect(intent).toEqual({
      id: answer.body.payment_intent,
      object: 'payment_intent',
      amount: 5000,
      currency: 'XAF',
      status: 'requires_payment_method',
      payment_method_types: [PUSH_RAIL],
      customer: open.customer,
      description: 'May',
      metadata: {},
      client_secret: expect.stringContaining(`${intent.id}_secret_`),
      next_action: null,
      last_payment_error: null,
      invoice: open.id,
      canceled_at: null,
      cancellation_reason: null,
      created: expect.any(Number),
      livemode: false,
    })
    expect(await eventTypesOf(api, open.id)).toEqual(['invoice.created', 'invoice.finalized'])
    expect(await eventsOf(api, intent.id)).toEqual([])
  })

  test.each([
    ['none: every rail that settles in the currency', '', [PUSH_RAIL]],
    ['its own', `&payment_method_types[]=${PUSH_RAIL}`, [PUSH_RAIL]],
    [
      'its own, as far as they settle in the currency',
      `&payment_method_types[]=${EURO_RAIL}&payment_method_types[]=${PUSH_RAIL}`,
      [PUSH_RAIL],
    ],
  ])('rails of the invoice: %s', async (_, more, rails) => {
    const { id } = await openInvoice(api, more)
    const { payment_intent: intent } = await act(api, id, 'pay')
    expect((await readIntent(api, intent ?? '')).body.payment_method_types).toEqual(rails)
  })

  test('the customer counts as used', async () => {
    const customer = await insertCustomer(api)
    const { id } = await openInvoice(api, `&customer=${customer}`)
    api.advance(3_600_000)
    await act(api, id, 'pay')
    expect(api.clock() - (await lastUseOf(api, customer))).toBeLessThan(60_000)
  })

  test('a waiting intent is returned again', async () => {
    const { id } = await openInvoice(api)
    const first = await act(api, id, 'pay')
    expect(await act(api, id, 'pay')).toEqual(first)
    await act(api, id, 'mark_uncollectible')
    expect((await act(api, id, 'pay')).payment_intent).toBe(first.payment_intent)
    expect(await intentsOf(id)).toHaveLength(1)
  })

  test('an intent whose charge was refused waits again', async () => {
    const { id } = await openInvoice(api)
    const intent = await chargeInvoice(api, id, 'declines')
    await settle(api)
    expect((await act(api, id, 'pay')).payment_intent).toBe(intent)
  })

  test('a canceled intent is replaced', async () => {
    const { id } = await openInvoice(api)
    const { payment_intent: canceled } = await act(api, id, 'pay')
    await api.call(cancelCall(canceled ?? ''))
    const { payment_intent: fresh } = await act(api, id, 'pay')
    expect(fresh).not.toBe(canceled)
    expect((await intentsOf(id)).map(({ status }) => status)).toEqual(['canceled', 'requires_payment_method'])
  })

  test('many concurrent calls make one intent', async () => {
    const { id } = await openInvoice(api)
    const answers = await Promise.all(Array.from({ length: 20 }, () => pay(id)))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(await intentsOf(id)).toHaveLength(1)
  })

  test('concurrent cancellations of its intent never leave two payable intents', async () => {
    const { id } = await openInvoice(api)
    for (let n = 0; n < 5; n += 1) {
      const { payment_intent: intent } = await act(api, id, 'pay')
      await Promise.all([api.call(cancelCall(intent ?? '')), ...Array.from({ length: 5 }, () => pay(id))])
      const waiting = (await intentsOf(id)).filter(({ status }) => status !== 'canceled')
      expect(waiting.length).toBeLessThanOrEqual(1)
    }
  })

  test('the same key has the same answer, also after the intent was canceled', async () => {
    const { id } = await openInvoice(api)
    const call = actionCall(id, 'pay', { key: 'pay-once' })
    const first = await api.call(call)
    await api.call(cancelCall(first.body.payment_intent))
    expect(await api.call(call)).toReplay(first)
    expect(await intentsOf(id)).toHaveLength(1)
  })
})

describe('400', () => {
  test('no rail that settles in the currency', async () => {
    const { id } = await openInvoice(api, `&payment_method_types[]=${EURO_RAIL}`)
    expect(await pay(id)).toBeRefusal('invalid_request', 'payment_method_types')
    expect(await intentsOf(id)).toEqual([])
  })

  test('no rail that is still enabled', async () => {
    const later = await api.deploy(new Map())
    for (const more of ['', `&payment_method_types[]=${PUSH_RAIL}`]) {
      const { id } = await openInvoice(api, more)
      expect(await later.call(actionCall(id, 'pay'))).toBeRefusal('invalid_request', 'payment_method_types')
    }
  })
})

describe('404', () => {
  test('a foreign, an unknown and an ill-formed id have the same answer', async () => {
    const { id } = await openInvoice(api)
    expect(await answerToStrangers(api, id, (strange) => actionCall(strange, 'pay'))).toBeRefusal(
      'resource_missing',
    )
  })
})

describe('409', () => {
  test('a charge is open, also of a canceled intent', async () => {
    const { id } = await openInvoice(api)
    const intent = await chargeInvoice(api, id, 'waitsForThePayer')
    expect(await pay(id)).toBeRefusal('charge_in_progress')
    await api.call(cancelCall(intent))
    expect(await pay(id)).toBeRefusal('charge_in_progress')
    expect(await intentsOf(id)).toHaveLength(1)
  })

  test('a charge has no answer of its rail', async () => {
    const { id } = await openInvoice(api)
    const { payment_intent: intent } = await act(api, id, 'pay')
    await api.call(confirmCall(intent ?? '', 'acceptedThenReset'))
    expect(await pay(id)).toBeRefusal('charge_in_progress')
  })

  test('the customer was erased', async () => {
    const customer = await insertCustomer(api)
    const { id } = await openInvoice(api, `&customer=${customer}`)
    await eraseCustomer(api, customer)
    expect(await pay(id)).toBeRefusal('customer_erased')
    expect(await intentsOf(id)).toEqual([])
  })
})

describe('races', () => {
  test.each(['void', 'mark_uncollectible'] as const)(
    'a confirm and a %s: the invoice is closed without a charge, or charged and open',
    async (action) => {
      for (let n = 0; n < 15; n += 1) {
        const { id } = await openInvoice(api)
        const { payment_intent: intent } = await act(api, id, 'pay')
        const [confirmed, closed] = await Promise.all([
          api.call(confirmCall(intent ?? '', 'waitsForThePayer')),
          api.call(actionCall(id, action)),
        ])
        const { status }: Invoice = (await readInvoice(api, id)).body
        const charges = await chargesOf(api, intent ?? '')
        if (closed.status === 200 && action === 'void') {
          expect(confirmed).toBeRefusal('invoice_void')
          expect([status, charges]).toEqual(['void', []])
        } else if (closed.status === 200) {
          expect(confirmed.status).toBe(200)
          expect(status).toBe('uncollectible')
        } else {
          expect(closed).toBeRefusal('charge_in_progress')
          expect([status, confirmed.status, charges.length]).toEqual(['open', 200, 1])
        }
      }
    },
  )

  test('concurrent pays, confirms, cancels and voids of one invoice never leave a live charge on a void one', async () => {
    const { id } = await openInvoice(api)
    const { payment_intent: intent } = await act(api, id, 'pay')
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => [
        api.call(actionCall(id, 'pay')),
        api.call(confirmCall(intent ?? '', 'waitsForThePayer')),
        ...(n === 4 ? [api.call(cancelCall(intent ?? ''))] : []),
        ...(n > 4 ? [api.call(actionCall(id, 'void'))] : []),
      ]).flat(),
    )
    expect(answers.filter(({ status }) => status >= 500)).toEqual([])
    const { status }: Invoice = (await readInvoice(api, id)).body
    const charges = await chargesOf(api, intent ?? '')
    expect(status === 'void' ? charges : []).toEqual([])
  })
})

test('a draft with a line cannot be paid', async () => {
  const { id } = await draftInvoice(api)
  await addItem(api, id)
  expect(await pay(id)).toBeRefusal('invoice_draft')
})
