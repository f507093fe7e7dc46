import { randomUUID } from 'node:crypto'
import type { FinanceDay, Overview } from '@merchant-payments/contract'
import { STUCK_AFTER_MS } from '@merchant-payments/core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openInvoice } from '../bills.ts'
import { createCustomer } from '../customer-steps.ts'
import { PUSH_RAIL, settle } from '../harness.ts'
import { raiseAlerts } from '../raise.ts'
import { confirmCall, confirmedIntent, createIntent, succeededIntent } from '../steps.ts'
import { approvalOf } from './approvals.ts'
import { payTwice } from './paid-twice.ts'
import { type StaffMember, startStaffApi } from './staff.ts'
import { attempt, deadLetter, failFanouts, fanOutToMain } from './webhooks.ts'

const api = await startStaffApi()
const omar = await api.signInAs('omar')
let ada: StaffMember
afterAll(() => api.stop())

const noKey = { headers: { 'idempotency-key': undefined } }
const rowsOf = async (path: string) => (await omar.get(path)).body.data as { id: string; merchant: string }[]

/** The ids of one merchant's objects, of each kind that staff can change. */
interface Objects {
  readonly open: string
  readonly paid: string
  readonly charge: string
  readonly duplicate: string
  readonly item: string
  readonly delivery: string
  readonly approval: string
  readonly customer: string
  readonly invoice: string
  readonly event: string
}

let acme: Objects
beforeAll(async () => {
  const { id: paid } = await succeededIntent(api)
  const { charge: duplicate } = await payTwice(api, omar)
  await fanOutToMain(api)
  await attempt(api, 'refused')
  const { id: customer } = await createCustomer(api)
  const { id: open } = await confirmedIntent(api, 'staysPending')
  const { body } = await omar.get(`/payment_intents/${open}`)
  const charge = body.charges[0].id
  await raiseAlerts(api, charge, {})
  const ruled = { outcome: 'succeeded', reason: 'The statement has it.' }
  const approval = approvalOf(await omar.post(`/charges/${charge}/resolve`, ruled))
  await createIntent(api, '', { merchant: 'globex' })
  const { id: other } = await createIntent(api, '', { merchant: 'globex' })
  await api.call(confirmCall(other, 'approves', { merchant: 'globex' }))
  await settle(api)
  await makeWait(paid)
  api.advance(STUCK_AFTER_MS + 1_000)
  const [item] = await rowsOf('/attention_items?alert=charge_stuck')
  const [delivery] = await rowsOf('/deliveries?status=exhausted')
  if (item === undefined || delivery === undefined) throw new Error('nothing waits')
  const { id: invoice } = await openInvoice(api)
  const [event] = await rowsOf('/events?merchant=acme')
  if (event === undefined) throw new Error('nothing was written')
  const ids = { open, paid, charge, duplicate: duplicate.id, approval, customer, invoice, event: event.id }
  // Much time has passed, which ends a session.
  ada = await api.signInAs('ada')
  acme = { ...ids, item: item.id, delivery: delivery.id }
})

/** Leaves work of the merchant in the queues in which nothing waits yet. */
async function makeWait(paid: string): Promise<void> {
  await confirmedIntent(api, 'paysAnotherAmount')
  await settle(api)
  // The events of the other merchant must not wait.
  await fanOutToMain(api)
  await attempt(api, 'succeeded')
  await succeededIntent(api)
  await fanOutToMain(api)
  const [pending] = await rowsOf('/deliveries?status=pending&merchant=acme')
  if (pending === undefined) throw new Error('no delivery is due')
  await deadLetter(api, pending.id)
  await succeededIntent(api)
  await fanOutToMain(api)
  await succeededIntent(api)
  await failFanouts(api)
  await omar.post(`/payment_intents/${paid}/refund`, { reason: 'A test.' })
}

type State = 'left' | 'arriving'
const away = (state: State = 'left') =>
  api.owner.transact((tx) =>
    tx
      .insertInto('merchant_moves')
      .values({ merchant_id: 'acme', state, move_id: randomUUID(), other_cell: 'cell_b' })
      .execute(),
  )
afterEach(() => api.owner.transact((tx) => tx.deleteFrom('merchant_moves').execute()))

type Waiting = Overview['live_charges']
/** A new count of the overview is one of these. */
type WaitingName = {
  [Name in keyof Overview]: Overview[Name] extends Waiting ? Name : never
}[keyof Overview]

/** What the overview counts, each with the list to which its count leads. */
const lists: Readonly<Record<WaitingName, string>> = {
  live_charges: '/charges?state=open',
  stuck_charges: '/charges?state=stuck',
  duplicate_charges: '/charges?state=duplicate',
  mismatched_charges: '/charges?state=mismatch',
  attention_items: '/attention_items?status=waiting',
  pending_deliveries: '/deliveries?status=pending',
  exhausted_deliveries: '/deliveries?status=exhausted',
  dead_letters: '/deliveries?status=dead_lettered',
  pending_fanouts: '/fanouts?state=pending',
  failed_fanouts: '/fanouts?state=failed',
  refunds_to_instruct: '/refunds?queue=waiting',
  pending_approvals: '/approval_requests?status=pending',
}

const countsOf = async () => {
  const { body } = await omar.get('/overview')
  return Object.fromEntries(Object.keys(lists).map((name) => [name, body[name].count]))
}
const lengthsOf = async () => {
  const entries = Object.entries(lists).map(async ([name, path]) => [name, (await rowsOf(path)).length])
  return Object.fromEntries(await Promise.all(entries)) as Record<string, number>
}

const none = Object.fromEntries(Object.keys(lists).map((name) => [name, 0]))

describe.each(['left', 'arriving'] as const)('a merchant that is %s', (state) => {
  test('has nothing in the counts of what waits, nor in their lists', async () => {
    const before = await countsOf()
    expect(Object.values(before).every((count) => count > 0)).toBe(true)
    expect(await lengthsOf()).toEqual(before)
    await away(state)
    expect(await countsOf()).toEqual(none)
    expect(await lengthsOf()).toEqual(none)
    expect((await rowsOf('/attention_items?status=open')).length).toBe(0)
    expect((await rowsOf('/fanouts')).length).toBe(0)
    expect((await omar.get('/totals/refunds?queue=waiting')).body.count).toBe(0)
    expect((await omar.get(`/rails/${PUSH_RAIL}`)).body.open).toEqual([])
    const { body } = await omar.get('/overview')
    expect(body.payment_intents.map(({ count }: { count: number }) => count)).toEqual([1, 1])
    expect(body.charges).toEqual([{ rail: PUSH_RAIL, status: 'succeeded', count: 1 }])
  })

  test('is in no sum of money and in no file over all merchants, so that two cells add up', async () => {
    const merchants = async () => {
      const { body } = await omar.get('/finance_summary')
      return [...new Set((body.days as FinanceDay[]).map(({ merchant }) => merchant))]
    }
    const inFiles = async (of: string) => {
      const { body } = await omar.post('/exports', { of }, noKey)
      const cookie = Array.from(omar.cookies, ([name, value]) => `${name}=${value}`).join('; ')
      const lines = (await (await fetch(`${api.origin}${body.url}`, { headers: { cookie } })).text()).split(
        '\n',
      )
      return ['acme', 'globex'].filter((merchant) => lines.some((line) => line.split(',').includes(merchant)))
    }
    expect(await merchants()).toEqual(['acme', 'globex'])
    expect(await inFiles('charges')).toEqual(['acme', 'globex'])
    await away(state)
    expect(await merchants()).toEqual(['globex'])
    for (const of of ['payment_intents', 'charges', 'finance_summary'])
      expect([of, await inFiles(of)]).toEqual([of, ['globex']])
  })
})

describe('a merchant that has left', () => {
  test('is still found by lists and by ids, with what happened here', async () => {
    await away()
    const intents = await rowsOf('/payment_intents?limit=100')
    expect(intents.map(({ id }) => id)).toEqual(expect.arrayContaining([acme.open, acme.paid]))
    expect((await omar.get(`/payment_intents/${acme.open}`)).status).toBe(200)
    expect((await rowsOf('/attention_items')).map(({ id }) => id)).toContain(acme.item)
    const { body } = await omar.post('/lookup', { q: acme.charge }, noKey)
    expect(body.matches).toMatchObject([{ id: acme.charge, merchant: 'acme' }])
  })

  test.each([
    ['cancel', () => `/payment_intents/${acme.open}/cancel`, {}],
    ['refund', () => `/payment_intents/${acme.paid}/refund`, {}],
    ['query', () => `/charges/${acme.charge}/query`, {}],
    ['resolve as failed', () => `/charges/${acme.charge}/resolve`, { outcome: 'failed' }],
    ['resolve as succeeded', () => `/charges/${acme.charge}/resolve`, { outcome: 'succeeded' }],
    ['return', () => `/charges/${acme.duplicate}/return`, {}],
    ['acknowledge', () => `/attention_items/${acme.item}/acknowledge`, {}],
    ['resolve the item', () => `/attention_items/${acme.item}/resolve`, { seen_version: 'seen' }],
    ['replay', () => `/deliveries/${acme.delivery}/replay`, {}],
    ['approve', () => `/approval_requests/${acme.approval}/approve`, {}],
    ['retry a fan-out', () => `/fanouts/${acme.event}/retry`, {}],
    ['void', () => `/invoices/${acme.invoice}/void`, {}],
    ['write off', () => `/invoices/${acme.invoice}/mark_uncollectible`, {}],
    ['erase', () => `/customers/${acme.customer}/erase`, {}],
    ['disable', () => '/merchant_clients/acme/disable', {}],
    ['recover', () => '/merchant_clients/acme/recover', { endpoint: 'main', from: '1' }],
  ])('is not changed: %s', async (_case, path, more) => {
    await away()
    const entries = async () => (await omar.get('/audit_entries?limit=1')).body.data
    const before = await entries()
    const answer = await ada.post(path(), { reason: 'A test.', ...more })
    expect(answer).toBeRefusal('merchant_moved')
    expect(answer.body.error.message).toBe(
      'The merchant has moved to cell_b. Use the dashboard of that cell.',
    )
    expect(await entries()).toEqual(before)
  })

  test('is asked about in its new cell: its sums and its files are refused here', async () => {
    await away()
    expect(await omar.get('/finance_summary?merchant=acme')).toBeRefusal('merchant_moved')
    expect(await omar.post('/exports', { merchant: 'acme' }, noKey)).toBeRefusal('merchant_moved')
    expect((await omar.get('/finance_summary?merchant=globex')).status).toBe(200)
  })

  test('hinders no change of another merchant', async () => {
    await away()
    const { id } = await createIntent(api, '', { merchant: 'globex' })
    expect((await omar.post(`/payment_intents/${id}/cancel`, { reason: 'A test.' })).status).toBe(200)
  })
})
