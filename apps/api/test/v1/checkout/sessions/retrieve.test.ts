import { afterAll, describe, expect, test } from 'vitest'
import { startTestApi } from '../../../harness.ts'
import { insertCustomer } from '../../../rows.ts'
import { createSession, DAY_SEC, readSession } from '../../../sessions.ts'
import { confirmForm, readIntent } from '../../../steps.ts'
import { strangeIds } from '../../strange-ids.ts'

const api = await startTestApi()
afterAll(() => api.stop())

describe('200', () => {
  test('the session is read as it was created, with its secret and its address', async () => {
    const created = await createSession(api, '&metadata[order]=42&ui_mode=hosted')
    const answer = await readSession(api, created.id)
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: created })
    expect(answer).toHaveRequestId()
  })

  test('its customer is that at its creation; a later confirm sets only the intent’s', async () => {
    const created = await createSession(api)
    const form = `${confirmForm()}&customer=${await insertCustomer(api)}`
    await api.call({ path: `/v1/payment_intents/${created.payment_intent}/confirm`, form })
    expect((await readIntent(api, created.payment_intent)).body.customer).not.toBeNull()
    expect((await readSession(api, created.id)).body).toEqual(created)
  })

  test('after its end it has no address, swept or not', async () => {
    const created = await createSession(api)
    api.advance(DAY_SEC * 1000)
    expect((await readSession(api, created.id)).body).toEqual({ ...created, url: null })
  })
})

describe('404', () => {
  test('a foreign, an unknown and an ill-formed id have the same answer, byte for byte', async () => {
    const { id } = await createSession(api)
    const foreign = await api.call({ path: `/v1/checkout/sessions/${id}`, merchant: 'globex' })
    expect(foreign).toBeRefusal('resource_missing')
    for (const strange of strangeIds(id)) {
      const answer = await readSession(api, strange)
      expect([strange, answer.text]).toEqual([strange, foreign.text])
      expect(answer).toBeRefusal('resource_missing')
    }
  })
})
