import { afterAll, describe, expect, test } from 'vitest'
import { canceledIntent, cancelCall, createIntent } from '../steps.ts'
import { startStaffApi } from './staff.ts'
import { attempt, fanOutToMain } from './webhooks.ts'

const api = await startStaffApi()
const vera = await api.signInAs('vera')
afterAll(() => api.stop())

const ids = async (query: string) =>
  (await vera.get(`/events?${query}`)).body.data.map(({ id }: { id: string }) => id)

describe('dash.events.list', () => {
  test('200: events of every merchant, newest first, by type and merchant', async () => {
    const { id } = await createIntent(api, '', { merchant: 'globex' })
    await api.call(cancelCall(id, { merchant: 'globex' }))
    await canceledIntent(api)
    const { body } = await vera.get('/events?type=payment_intent.canceled&merchant=acme')
    expect(body).toEqual({
      object: 'list',
      url: '/dash/v1/events',
      has_more: false,
      data: [
        {
          id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
          object: 'event',
          merchant: 'acme',
          type: 'payment_intent.canceled',
          state: 'pending',
          request_id: expect.stringMatching(/^req_/),
          created: expect.any(Number),
        },
      ],
    })
    const all = await ids('limit=100')
    expect(all).toEqual(all.toSorted().toReversed())
    expect(await ids(`starting_after=${all[0]}&limit=100`)).toEqual(all.slice(1))
    expect(await ids('merchant=globex')).toHaveLength(1)
  })

  test.each([
    'created[lt]=1',
    'created[lt]=90000',
    'created=0',
    `starting_after=evt_${'0'.repeat(32)}`,
    `ending_before=evt_${'f'.repeat(32)}`,
  ])('200: an empty page beyond all events, %s', async (query) => {
    await canceledIntent(api)
    const { status, body } = await vera.get(`/events?${query}`)
    expect({ status, data: body.data }).toEqual({ status: 200, data: [] })
  })

  test('400: an unknown type', async () => {
    expect(await vera.get('/events?type=x')).toBeRefusal('invalid_request', 'type')
  })
})

describe('dash.events.retrieve', () => {
  test('200: with the bytes that are posted, and its deliveries', async () => {
    const { id: intent } = await canceledIntent(api)
    await fanOutToMain(api)
    await attempt(api, 'refused')
    const [id] = await ids('type=payment_intent.canceled&limit=1')
    const { body } = await vera.get(`/events/${id}`)
    const [delivery] = body.deliveries
    expect(body).toMatchObject({ id, object: 'event', state: 'done' })
    expect(JSON.parse(body.body)).toMatchObject({ id, data: { object: { id: intent } } })
    expect(delivery).toMatchObject({ event: id, status: 'exhausted', endpoint: 'main' })
    expect((await vera.get(`/deliveries/${delivery.id}`)).body.event_text).toBe(body.body)
  })
})
