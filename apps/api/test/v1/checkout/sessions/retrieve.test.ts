import { afterAll, describe, expect, test } from 'vitest'
import { startTestApi } from '../../../harness.ts'
import { createSession, DAY_SEC, readSession } from '../../../sessions.ts'
import { strangeIds } from '../../strange-ids.ts'

const api = await startTestApi()
afterAll(() => api.stop())

describe('200', () => {
  test('the session is read as it was created, its secret and its address included', async () => {
    const created = await createSession(api, '&metadata[order]=42&ui_mode=hosted')
    const answer = await readSession(api, created.id)
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: created })
    expect(answer).toHaveRequestId()
  })

  test('past its end it has no address, swept or not', async () => {
    const created = await createSession(api)
    api.advance(DAY_SEC * 1000)
    expect((await readSession(api, created.id)).body).toEqual({ ...created, url: null })
  })
})

describe('404', () => {
  test('a foreign, an unknown and an ill-formed id are the same answer, byte for byte', async () => {
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
