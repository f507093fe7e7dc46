import { afterAll, describe, expect, test } from 'vitest'
import { settle, startTestApi } from '../../harness.ts'
import { cancelCall, confirmCall, createIntent, eventsOf, readIntent } from '../../steps.ts'
import { strangeIds } from '../strange-ids.ts'

const api = await startTestApi()
afterAll(() => api.stop())

async function canceledEvent() {
  const { id } = await createIntent(api)
  await api.call(cancelCall(id))
  const [event] = await eventsOf(api, id)
  if (event === undefined) throw new Error('no event was written')
  return event
}

describe('200', () => {
  test('the event is the same as in the list [§2.3]', async () => {
    const event = await canceledEvent()
    const answer = await api.call({ path: `/v1/events/${event.id}` })
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: event })
    expect(answer).toHaveRequestId()
  })

  test('a query is ignored', async () => {
    const event = await canceledEvent()
    expect((await api.call({ path: `/v1/events/${event.id}?expand[]=data&limit=x` })).body).toEqual(event)
  })

  test('the snapshot does not change when the intent changes afterwards [§2.3]', async () => {
    const { id } = await createIntent(api)
    await api.call(confirmCall(id))
    await api.call(cancelCall(id))
    const [event] = await eventsOf(api, id)
    const answer = await api.call({ path: `/v1/events/${event?.id}` })
    await settle(api)
    expect((await readIntent(api, id)).body.status).toBe('succeeded')
    expect((await api.call({ path: `/v1/events/${event?.id}` })).text).toBe(answer.text)
    expect(answer.body.data.object.status).toBe('canceled')
  })
})

describe('404', () => {
  test('a foreign, an unknown and an ill-formed id have the same answer, byte for byte', async () => {
    const { id } = await canceledEvent()
    const foreign = await api.call({ path: `/v1/events/${id}`, merchant: 'globex' })
    expect(foreign).toBeRefusal('resource_missing')
    expect(foreign.text).not.toContain(id)
    for (const strange of strangeIds(id)) {
      const answer = await api.call({ path: `/v1/events/${strange}` })
      expect([strange, answer.text]).toEqual([strange, foreign.text])
      expect(answer).toBeRefusal('resource_missing')
    }
  })
})
