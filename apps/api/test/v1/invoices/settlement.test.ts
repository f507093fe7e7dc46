import { findViolations } from '@merchant-payments/testing/invariants'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { act, actionCall, chargeInvoice, openInvoice, readInvoice, withoutLines } from '../../bills.ts'
import { confirmInBrowser } from '../../browser/calls.ts'
import { settle, startTestApi } from '../../harness.ts'
import { cancelCall, confirmCall, eventsOf, eventTypesOf, readIntent, rescue } from '../../steps.ts'

const api = await startTestApi()
afterAll(() => api.stop())
beforeEach(() => {
  api.alerts.length = 0
})

const alerts = () => api.alerts.map(({ name }) => name)
const statusOf = async (intent: string): Promise<string> => (await readIntent(api, intent)).body.status

/** An invoice whose first intent was refused, may still succeed, and was canceled and replaced. */
async function replacedIntent() {
  const { id } = await openInvoice(api)
  const first = await chargeInvoice(api, id, 'failsThenSucceeds')
  await settle(api)
  await api.call(cancelCall(first))
  const { payment_intent: second } = await act(api, id, 'pay')
  return { id, first, second: second ?? '' }
}

/** Violations that the checker of every run finds in the invoices. */
async function violations(): Promise<string[]> {
  const found = await findViolations({
    databaseUrl: api.databaseUrl,
    debits: [],
    credits: [],
    journal: [],
    received: null,
    endpoints: 0,
  })
  return found.filter((line) => /^I1[12]/.test(line))
}

describe('a payment', () => {
  test('pays the invoice, with one more event of the paid invoice [§3.1, §6.1]', async () => {
    const open = await openInvoice(api)
    const intent = await chargeInvoice(api, open.id)
    await settle(api)
    const { body: paid } = await readInvoice(api, open.id)
    expect(paid).toEqual({
      ...open,
      status: 'paid',
      amount_paid: 5000,
      amount_remaining: 0,
      payment_intent: intent,
      status_transitions: { ...open.status_transitions, paid_at: expect.any(Number) },
    })
    expect((await eventsOf(api, open.id)).slice(2)).toEqual([
      {
        id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
        object: 'event',
        type: 'invoice.paid',
        created: paid.status_transitions.paid_at,
        livemode: false,
        data: { object: withoutLines(paid) },
      },
    ])
    expect(await eventTypesOf(api, intent)).toEqual(['payment_intent.succeeded'])
  })

  test('writes its event and the invoice’s in one transaction, with one request id [§3.1, §6.1]', async () => {
    const { id } = await openInvoice(api)
    const intent = await chargeInvoice(api, id)
    await settle(api)
    const events = await api.db.reader
      .selectFrom('events')
      .select((eb) => [eb.ref('xmin' as 'id').as('writer'), 'type', 'body', 'request_id'])
      .where('type', 'in', ['invoice.paid', 'payment_intent.succeeded'])
      .execute()
    const told = events.filter(
      ({ body }) => body.includes(`"id":"${id}"`) || body.includes(`"id":"${intent}"`),
    )
    expect(told.map(({ type }) => type).sort()).toEqual(['invoice.paid', 'payment_intent.succeeded'])
    expect(new Set(told.map(({ writer }) => writer)).size).toBe(1)
    const requests = told.map(({ request_id: request }) => request)
    expect(requests).toEqual(Array.from({ length: 2 }, () => expect.stringMatching(/^req_/)))
    expect(new Set(requests).size).toBe(1)
  })

  test('that is refused does not change the invoice', async () => {
    const { id } = await openInvoice(api)
    const intent = await chargeInvoice(api, id, 'declines')
    const before = (await readInvoice(api, id)).body
    await settle(api)
    expect((await readInvoice(api, id)).body).toEqual(before)
    expect(await eventTypesOf(api, intent)).toEqual(['payment_intent.payment_failed'])
  })

  test('pays an invoice that was written off', async () => {
    const { id } = await openInvoice(api)
    const { payment_intent: intent } = await act(api, id, 'pay')
    await act(api, id, 'mark_uncollectible')
    expect((await api.call(confirmCall(intent ?? ''))).body.status).toBe('processing')
    await settle(api)
    const { body } = await readInvoice(api, id)
    expect(body).toMatchObject({ status: 'paid', payment_intent: intent, amount_paid: 5000 })
    expect(body.status_transitions).toEqual({
      finalized_at: expect.any(Number),
      paid_at: expect.any(Number),
      voided_at: null,
      marked_uncollectible_at: expect.any(Number),
    })
  })

  test('of many in one pass, with and without an invoice, pay their own invoices', async () => {
    const invoices = []
    for (let n = 0; n < 10; n += 1) {
      const { id } = await openInvoice(api)
      invoices.push({ id, intent: await chargeInvoice(api, id) })
    }
    await settle(api)
    for (const { id, intent } of invoices) {
      expect((await readInvoice(api, id)).body).toMatchObject({ status: 'paid', payment_intent: intent })
    }
  })
})

describe('a late success', () => {
  test('of a replaced intent pays the invoice, and the other can no longer be confirmed', async () => {
    const { id, first, second } = await replacedIntent()
    await rescue(api)
    await settle(api)
    expect(await statusOf(first)).toBe('succeeded')
    expect((await readInvoice(api, id)).body).toMatchObject({ status: 'paid', payment_intent: first })
    expect(await api.call(confirmCall(second))).toBeRefusal('invoice_paid')
    const { body } = await readIntent(api, second)
    expect(await api.call(confirmInBrowser(second, body.client_secret))).toBeRefusal('invoice_paid')
    expect(await api.call(actionCall(id, 'pay'))).toBeRefusal('invoice_paid')
    expect(alerts()).toEqual([])
  })

  test('besides the other intent’s success is for staff, and does not change the invoice', async () => {
    const { id, first, second } = await replacedIntent()
    await api.call(confirmCall(second, 'waitsForThePayer'))
    await rescue(api)
    await settle(api)
    const { body: paid } = await readInvoice(api, id)
    expect(paid).toMatchObject({ status: 'paid', payment_intent: first })
    const [prompt] = (await api.mock.control.listPrompts({ msisdn: '237670000000' })).slice(-1)
    await api.mock.control.approveCharge(prompt?.reference ?? '')
    await settle(api)
    expect(await statusOf(second)).toBe('succeeded')
    expect((await readInvoice(api, id)).body).toEqual(paid)
    expect(await eventTypesOf(api, id)).toEqual(['invoice.created', 'invoice.finalized', 'invoice.paid'])
    expect(alerts()).toEqual(['invoice_paid_twice'])
  })

  test('in the same pass as the other intent’s: one pays the invoice, and the other is for staff', async () => {
    const { id, first, second } = await replacedIntent()
    await api.call(confirmCall(second, 'approves'))
    await rescue(api)
    await settle(api)
    expect([await statusOf(first), await statusOf(second)]).toEqual(['succeeded', 'succeeded'])
    const { body } = await readInvoice(api, id)
    expect(body.status).toBe('paid')
    expect([first, second]).toContain(body.payment_intent)
    expect(await eventTypesOf(api, id)).toEqual(['invoice.created', 'invoice.finalized', 'invoice.paid'])
    expect(alerts()).toEqual(['invoice_paid_twice'])
  })

  test('after the invoice was voided: the intent succeeds, the invoice stays void, and staff get an alert', async () => {
    const { id, first } = await replacedIntent()
    const voided = await act(api, id, 'void')
    await rescue(api)
    await settle(api)
    expect(await statusOf(first)).toBe('succeeded')
    expect((await readInvoice(api, id)).body).toEqual(voided)
    expect(await eventTypesOf(api, id)).toEqual(['invoice.created', 'invoice.finalized', 'invoice.voided'])
    expect(await eventTypesOf(api, first)).toContain('payment_intent.succeeded')
    expect(api.alerts).toMatchObject([{ name: 'invoice_paid_twice', facts: { invoice: id } }])
    const rows = await api.db.reader.selectFrom('raised_alerts').select(['alert', 'facts']).execute()
    expect(rows).toContainEqual({
      alert: 'invoice_paid_twice',
      facts: expect.objectContaining({ invoice: id, charge: expect.stringMatching(/^ch_/) }),
    })
  })

  test('of a canceled intent pays an invoice that was written off', async () => {
    const { id, first } = await replacedIntent()
    await act(api, id, 'mark_uncollectible')
    await rescue(api)
    await settle(api)
    expect((await readInvoice(api, id)).body).toMatchObject({ status: 'paid', payment_intent: first })
  })

  test('while the invoice is voided: paid or void, never both', async () => {
    for (let n = 0; n < 10; n += 1) {
      const { id, first } = await replacedIntent()
      await rescue(api)
      const [voided] = await Promise.all([api.call(actionCall(id, 'void')), settle(api)])
      const { body } = await readInvoice(api, id)
      expect(body.status).toBe(voided.status === 200 ? 'void' : 'paid')
      expect(await statusOf(first)).toBe('succeeded')
    }
  })

  test('settled by two workers concurrently: one invoice.paid', async () => {
    const { id } = await openInvoice(api)
    await chargeInvoice(api, id)
    api.advance(60_000)
    await Promise.all([settle(api, 0), settle(api, 61_000)])
    expect(await eventTypesOf(api, id)).toEqual(['invoice.created', 'invoice.finalized', 'invoice.paid'])
  })
})

describe('the checker of every run', () => {
  test('finds no violation after all of this', async () => {
    expect(await violations()).toEqual([])
  })

  test('finds a number without an invoice', async () => {
    const count = (by: number) =>
      api.db.transact((tx) =>
        tx
          .updateTable('invoice_counters')
          .set((eb) => ({ last_number: eb('last_number', '+', by) }))
          .execute(),
      )
    await count(1)
    expect(await violations()).toEqual([expect.stringContaining('I12 a merchant’s invoice numbers')])
    await count(-1)
  })
})
