import { afterAll, describe, expect, test } from 'vitest'
import { settle } from '../harness.ts'
import { type ChargeAlert as Raised, raiseAlerts } from '../raise.ts'
import { confirmedIntent, type Ending } from '../steps.ts'
import { type StaffMember, startStaffApi } from './staff.ts'

const api = await startStaffApi()
const omar = await api.signInAs('omar')
afterAll(() => api.stop())

/** Writes alerts as the worker does. */
const raise = (charge: string, times = 1, { facts, ...raised }: Raised = {}) =>
  raiseAlerts(api, charge, { ...raised, times, facts: { rail: 'mtn_momo_cm', ...facts } })

async function stuckCharge(ending: Ending = 'staysPending'): Promise<{ intent: string; charge: string }> {
  const { id: intent } = await confirmedIntent(api, ending)
  const { body } = await omar.get(`/payment_intents/${intent}`)
  return { intent, charge: body.charges[0].id }
}

const items = async (query = '') => (await omar.get(`/attention_items${query}`)).body.data
const itemOf = async (charge: string) =>
  (await items()).find(({ about }: { about: string }) => about === charge)

describe('dash.attentionItems.list', () => {
  test('200: one item for an alert about an object, with its payment, its facts and its count', async () => {
    const { intent, charge } = await stuckCharge()
    await raise(charge, 2)
    await raise(charge)
    expect((await omar.get('/overview')).body.attention_items.count).toBe(1)
    expect(await items()).toEqual([
      {
        id: expect.stringMatching(/^att_[0-9a-f]{32}$/),
        object: 'attention_item',
        alert: 'charge_stuck',
        about: charge,
        merchant: 'acme',
        payment_intent: intent,
        facts: { charge, rail: 'mtn_momo_cm' },
        rail_code: null,
        rail_message: null,
        version: expect.any(String),
        times: 3,
        status: 'open',
        assignee: null,
        created: expect.any(Number),
        last_at: expect.any(Number),
        resolved_at: null,
      },
    ])
    for (const [query, count] of [
      ['?status=waiting', 1],
      ['?status=open', 1],
      ['?status=resolved', 0],
      ['?alert=charge_stuck&merchant=acme', 1],
      ['?alert=fanout_failed', 0],
      ['?assignee=omar', 0],
      ['?merchant=globex', 0],
    ] as const) {
      expect([query, (await items(query)).length]).toEqual([query, count])
    }
  })

  test('400: an unknown alert', async () => {
    expect(await omar.get('/attention_items?alert=x')).toBeRefusal('invalid_request', 'alert')
  })
})

describe('dash.attentionItems.acknowledge', () => {
  test('200: has an assignee and a note, and another member can take it over', async () => {
    const { charge } = await stuckCharge()
    await raise(charge)
    const { id } = await itemOf(charge)
    const { status, body } = await omar.post(`/attention_items/${id}/acknowledge`, { reason: 'I call them.' })
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        action: 'attention.acknowledge',
        target: id,
        merchant: 'acme',
        reason: 'I call them.',
        before: { alert: 'charge_stuck', object: charge, status: 'open', assignee: null },
        after: { status: 'acknowledged', assignee: 'omar' },
      },
    })
    expect(await items('?assignee=omar')).toMatchObject([{ id, assignee: { subject: 'omar' } }])
    const olga = await api.signInAs('olga')
    await olga.post(`/attention_items/${id}/acknowledge`, { reason: 'My shift.' })
    expect(await itemOf(charge)).toMatchObject({ status: 'acknowledged', assignee: { subject: 'olga' } })
  })

  test('409: of two members who saw that nobody handles it, the second one; it can be taken over knowingly', async () => {
    const { charge } = await stuckCharge()
    await raise(charge)
    const { id } = await itemOf(charge)
    const olga = await api.signInAs('olga')
    const take = (who: StaffMember, seen_assignee: string) =>
      who.post(`/attention_items/${id}/acknowledge`, { reason: 'Mine.', seen_assignee })
    expect((await take(omar, '')).status).toBe(200)
    expect(await take(olga, '')).toBeRefusal('attention_changed')
    expect(await itemOf(charge)).toMatchObject({ assignee: { subject: 'omar' } })
    expect((await take(olga, 'omar')).status).toBe(200)
    expect(await itemOf(charge)).toMatchObject({ assignee: { subject: 'olga' } })
  })
})

describe('dash.attentionItems.resolve', () => {
  const resolve = (id: string, version: string) =>
    omar.post(`/attention_items/${id}/resolve`, { reason: 'It is handled.', seen_version: version })

  /** An item that a person has taken and resolved. */
  async function resolved(raised: Raised = {}, ending?: Ending) {
    const { charge } = await stuckCharge(ending)
    const beforeMs = api.clock()
    await raise(charge, 1, raised)
    const { id } = await itemOf(charge)
    await omar.post(`/attention_items/${id}/acknowledge`, { reason: 'Mine.' })
    const { version } = await itemOf(charge)
    const { body } = await resolve(id, version)
    expect(body).toMatchObject({ action: 'attention.resolve', target: id, after: { status: 'resolved' } })
    api.advance(60_000)
    return { charge, id, beforeMs }
  }
  const mismatch = { alert: 'charge_amount_mismatch', facts: { reported_amount: 900 } } as const

  test('200: ends the item, which stays resolved and counts while the same cause goes on', async () => {
    const { charge, id, beforeMs } = await resolved(mismatch)
    await raise(charge, 2, { ...mismatch, lookedAtMs: beforeMs })
    expect(await itemOf(charge)).toMatchObject({
      id,
      status: 'resolved',
      times: 3,
      assignee: { subject: 'omar' },
      resolved_at: expect.any(Number),
    })
    await raise(charge)
    const [newest] = await items('?status=open&alert=charge_stuck')
    expect(newest).toMatchObject({ about: charge })
  })

  const reopened = { status: 'open', times: 2, assignee: null, resolved_at: null }

  test('an item is open again once its facts differ', async () => {
    const { charge, id } = await resolved(mismatch)
    await raise(charge, 1, { ...mismatch, facts: { reported_amount: 901 } })
    expect(await itemOf(charge)).toMatchObject({ id, ...reopened })
  })

  test('an item is open again once its object’s state differs', async () => {
    const { charge, id } = await resolved({}, 'approves')
    await settle(api)
    await raise(charge)
    expect(await itemOf(charge)).toMatchObject({ id, ...reopened })
  })

  test('an item is open again once its cause has ended and begun again', async () => {
    const { charge, id } = await resolved(mismatch)
    await raise(charge, 1, { ...mismatch, lookedAtMs: api.clock() - 1_000 })
    expect(await itemOf(charge)).toMatchObject({ id, ...reopened })
  })

  test('an item is open again once it happens again, for what happens once each time', async () => {
    const { charge, id } = await resolved({ alert: 'charge_rests', facts: { error: '23514' } })
    await raise(charge, 1, { alert: 'charge_rests', facts: { error: '23514' } })
    expect(await itemOf(charge)).toMatchObject({ id, ...reopened })
  })

  test('409: an item whose facts have changed since it was seen; the new cause is still there', async () => {
    const { charge } = await stuckCharge()
    await raise(charge, 1, mismatch)
    const { id, version } = await itemOf(charge)
    const larger = { ...mismatch, facts: { reported_amount: 90_000 } }
    await raise(charge, 1, larger)
    expect(await resolve(id, version)).toBeRefusal('attention_changed')
    await raise(charge, 1, larger)
    const now = await itemOf(charge)
    expect(now).toMatchObject({ status: 'open', times: 3, facts: { reported_amount: 90_000 } })
    expect(await resolve(id, now.version)).toMatchObject({
      status: 200,
      body: { before: { status: 'open', reported_amount: 90_000 } },
    })
  })

  test('409: an item of something that has happened once more since it was seen', async () => {
    const { charge } = await stuckCharge()
    const rests = { alert: 'charge_rests', facts: { error: '23514' } } as const
    await raise(charge, 1, rests)
    const { id, version } = await itemOf(charge)
    await raise(charge, 1, rests)
    expect(await resolve(id, version)).toBeRefusal('attention_changed')
  })

  test('200: an item whose cause was only told of once more since it was seen', async () => {
    const { charge } = await stuckCharge()
    await raise(charge)
    const { id, version } = await itemOf(charge)
    await raise(charge, 2)
    expect((await resolve(id, version)).status).toBe(200)
  })

  test('400: an item by somebody who does not say what they saw', async () => {
    const { charge } = await stuckCharge()
    await raise(charge)
    const { id } = await itemOf(charge)
    const answer = await omar.post(`/attention_items/${id}/resolve`, { reason: 'Done.' })
    expect(answer).toBeRefusal('invalid_request', 'seen_version')
    expect(await itemOf(charge)).toMatchObject({ status: 'open' })
  })

  test('409: an item that is resolved, without an audit entry', async () => {
    const { charge } = await stuckCharge()
    await raise(charge)
    const { id, version } = await itemOf(charge)
    await resolve(id, version)
    expect(await resolve(id, version)).toBeRefusal('attention_resolved')
    expect(await omar.post(`/attention_items/${id}/acknowledge`, { reason: 'Again.' })).toBeRefusal(
      'attention_resolved',
    )
    expect((await omar.get(`/audit_entries?target=${id}`)).body.data).toHaveLength(1)
  })
})
