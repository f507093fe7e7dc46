import { afterAll, describe, expect, test } from 'vitest'
import { startTestApi } from '../../harness.ts'
import { createIntent, readIntent } from '../../steps.ts'
import { strangeIds } from '../strange-ids.ts'

const api = await startTestApi()
afterAll(() => api.stop())

describe('200', () => {
  test('the intent is read as it was created, with its secret [§2.4]', async () => {
    const created = await createIntent(api, '&description=Rice&metadata[order]=42')
    const answer = await readIntent(api, created.id)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual(created)
    expect(answer).toHaveRequestId()
    expect(answer.headers).not.toHaveProperty('compat-should-retry')
  })

  test('reading changes nothing', async () => {
    const { id } = await createIntent(api)
    const [first, second] = [await readIntent(api, id), await readIntent(api, id)]
    expect(second.text).toBe(first.text)
  })

  test('a query is ignored, because clients of the compatible API send options in it', async () => {
    const created = await createIntent(api)
    const path = `/v1/payment_intents/${created.id}?client_secret=x&expand[]=customer&limit=abc&a=%zz`
    const answer = await api.call({ path })
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: created })
  })

  test('a body, and a form type without one, are ignored', async () => {
    const created = await createIntent(api)
    const path = `/v1/payment_intents/${created.id}`
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await api.call({ path, headers })).body).toEqual(created)
    expect((await api.call({ method: 'GET', path, form: 'amount=1' })).body).toEqual(created)
    const json = { 'content-type': 'application/json' }
    expect((await api.call({ method: 'GET', path, form: '{"a":', headers: json })).body).toEqual(created)
  })

  test('the reading scope suffices, also for the client secret, and writing implies it', async () => {
    const created = await createIntent(api)
    expect(created).toHaveProperty('client_secret', expect.stringMatching(/_secret_/))
    for (const scope of ['payments:read', 'payments:write'] as const) {
      const token = await api.tokenFor('acme', [scope])
      const answer = await api.call({ path: `/v1/payment_intents/${created.id}`, token })
      expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: created })
    }
  })
})

describe('404', () => {
  test('a foreign, an unknown and an ill-formed id have the same answer, byte for byte', async () => {
    const { id } = await createIntent(api)
    const foreign = await api.call({ path: `/v1/payment_intents/${id}`, merchant: 'globex' })
    expect(foreign).toBeRefusal('resource_missing')
    expect(foreign.text).not.toContain(id)
    for (const strange of strangeIds(id)) {
      const answer = await api.call({ path: `/v1/payment_intents/${strange}` })
      expect([strange, answer.text]).toEqual([strange, foreign.text])
      expect(answer).toBeRefusal('resource_missing')
    }
  })

  test('the id of another kind of object is unknown', async () => {
    const { id } = await createIntent(api)
    const answer = await api.call({ path: `/v1/payment_intents/${id.replace('pi_', 'evt_')}` })
    expect(answer).toBeRefusal('resource_missing')
  })
})
