import { afterAll, describe, expect, test } from 'vitest'
import { canceledIntent, createIntent, cancelCall } from '../steps.ts'
import { startStaffApi } from './staff.ts'
import { attempt, deadLetter, fanOutToMain } from './webhooks.ts'

const api = await startStaffApi()
const omar = await api.signInAs('omar')
afterAll(() => api.stop())

const newest = async () => (await omar.get('/deliveries?limit=1')).body.data[0]

async function exhausted(): Promise<{ id: string; event: string }> {
  await canceledIntent(api)
  await fanOutToMain(api)
  await attempt(api, 'refused', 'no such host')
  return newest()
}

describe('dash.deliveries.list', () => {
  test('200: deliveries of every merchant, newest first, with all fields', async () => {
    const { id: intent } = await createIntent(api, '', { merchant: 'globex' })
    await api.call(cancelCall(intent, { merchant: 'globex' }))
    await fanOutToMain(api)
    const { body } = await omar.get('/deliveries?merchant=globex')
    expect(body).toEqual({
      object: 'list',
      url: '/dash/v1/deliveries',
      has_more: false,
      data: [
        {
          id: expect.stringMatching(/^wd_[0-9a-f]{32}$/),
          object: 'delivery',
          merchant: 'globex',
          event: expect.stringMatching(/^evt_/),
          event_type: 'payment_intent.canceled',
          endpoint: 'main',
          status: 'pending',
          attempts: 0,
          attempts_before: 0,
          next_attempt_at: expect.any(Number),
          dead_lettered: false,
          created: expect.any(Number),
          finished_at: null,
        },
      ],
    })
    await attempt(api, 'succeeded')
  })

  test('200: each filter shows only matching rows, and pages join without a gap', async () => {
    const one = await exhausted()
    const two = await exhausted()
    const ids = async (query: string) =>
      (await omar.get(`/deliveries?${query}`)).body.data.map(({ id }: { id: string }) => id)
    expect(await ids('status=exhausted')).toEqual([two.id, one.id])
    expect(await ids('status=pending')).toEqual([])
    expect(await ids('status=succeeded&merchant=globex')).toHaveLength(1)
    expect(await ids(`event=${one.event}`)).toEqual([one.id])
    expect(await ids('endpoint=other')).toEqual([])
    expect(await ids('endpoint=main&merchant=acme')).toEqual([two.id, one.id])
    expect(await ids('event_type=invoice.paid')).toEqual([])
    expect(await ids('event_type=payment_intent.canceled&status=exhausted')).toEqual([two.id, one.id])
    expect(await ids('limit=1&status=exhausted')).toEqual([two.id])
    expect(await ids(`limit=1&status=exhausted&starting_after=${two.id}`)).toEqual([one.id])
    expect(await ids(`limit=1&ending_before=${one.id}`)).toEqual([two.id])
    expect(await ids('created[lt]=1700000000')).toEqual([])
  })

  test('200: dead letters are apart from pending deliveries, as the overview counts them', async () => {
    await canceledIntent(api)
    await fanOutToMain(api)
    const { id, event } = await newest()
    const ids = async (query: string) =>
      (await omar.get(`/deliveries?${query}`)).body.data.map((one: { id: string }) => one.id)
    const counts = async () => {
      const { pending_deliveries: pending, dead_letters: dead } = (await omar.get('/overview')).body
      return [pending.count, dead.count]
    }
    expect([await ids('status=pending'), await ids('status=dead_lettered')]).toEqual([[id], []])
    expect(await counts()).toEqual([1, 0])
    await deadLetter(api, id)
    expect([await ids('status=pending'), await ids('status=dead_lettered')]).toEqual([[], [id]])
    expect(await ids(`status=dead_lettered&event=${event}&merchant=acme&endpoint=main`)).toEqual([id])
    expect(await counts()).toEqual([0, 1])
    await omar.post(`/deliveries/${id}/replay`, { reason: 'Our fault is corrected.' })
    await attempt(api, 'succeeded')
  })

  test('400: an unknown status, type or cursor', async () => {
    expect(await omar.get('/deliveries?status=lost')).toBeRefusal('invalid_request', 'status')
    expect(await omar.get('/deliveries?event_type=x')).toBeRefusal('invalid_request', 'event_type')
    expect(await omar.get('/deliveries?starting_after=pi_1')).toBeRefusal('invalid_request', 'starting_after')
    expect(await omar.get('/deliveries?limit=101')).toBeRefusal('invalid_request', 'limit')
  })
})

describe('dash.deliveries.retrieve', () => {
  test('200: with its attempts, newest first, and the posted event', async () => {
    await canceledIntent(api)
    await fanOutToMain(api)
    await attempt(api, 'failed', 'first answer')
    api.advance(11_000)
    await attempt(api, 'failed', 'second answer')
    const { id, event } = await newest()
    const { status, body } = await omar.get(`/deliveries/${id}`)
    expect({ status, body }).toEqual({
      status: 200,
      body: expect.objectContaining({
        id,
        status: 'pending',
        attempts: 2,
        next_attempt_at: expect.any(Number),
      }),
    })
    expect(body.event_body).toMatchObject({ id: event, object: 'event', type: 'payment_intent.canceled' })
    const tried = { started_at: expect.any(Number), duration_ms: 12, status_code: 500, error: null }
    expect(body.attempt_log).toEqual([
      { number: 2, response_excerpt: 'second answer', ...tried },
      { number: 1, response_excerpt: 'first answer', ...tried },
    ])
  })
})

describe('dash.deliveries.replay', () => {
  test('200: a new ladder, at once, with its author in the log', async () => {
    const { id } = await exhausted()
    const { status, body } = await omar.post(`/deliveries/${id}/replay`, {
      reason: 'Their receiver is back.',
    })
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        id: expect.stringMatching(/^au_[0-9a-f]{32}$/),
        object: 'audit_entry',
        action: 'delivery.replay',
        actor: { subject: 'omar', name: 'Omar Operator', role: 'operator' },
        target: id,
        merchant: 'acme',
        reason: 'Their receiver is back.',
        before: { status: 'exhausted', attempts: 1, dead_lettered: false },
        after: { status: 'pending', attempts: 0, dead_lettered: false },
        request_id: expect.stringMatching(/^req_/),
        created: expect.any(Number),
      },
    })
    expect((await omar.get(`/deliveries/${id}`)).body).toMatchObject({
      status: 'pending',
      attempts_before: 1,
    })
    await attempt(api, 'succeeded')
    expect((await omar.get(`/deliveries/${id}`)).body).toMatchObject({ status: 'succeeded', attempts: 1 })
  })

  test('409: a pending or succeeded delivery, without an audit entry', async () => {
    await canceledIntent(api)
    await fanOutToMain(api)
    const { id } = await newest()
    const refused = await omar.post(`/deliveries/${id}/replay`, { reason: 'Too early.' })
    expect(refused).toBeRefusal('delivery_not_replayable')
    await attempt(api, 'succeeded')
    expect(await omar.post(`/deliveries/${id}/replay`, { reason: 'Too late.' })).toBeRefusal(
      'delivery_not_replayable',
    )
    expect((await omar.get(`/audit_entries?target=${id}`)).body.data).toEqual([])
  })

  test('of ten concurrent requests replays one, and writes one entry', async () => {
    const { id } = await exhausted()
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => omar.post(`/deliveries/${id}/replay`, { reason: 'All of us.' })),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, ...Array.from({ length: 9 }, () => 409)])
    expect((await omar.get(`/audit_entries?target=${id}`)).body.data).toHaveLength(1)
  })
})
