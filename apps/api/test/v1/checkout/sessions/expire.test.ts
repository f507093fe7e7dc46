import { afterAll, describe, expect, test } from 'vitest'
import { settle, startTestApi } from '../../../harness.ts'
import { createSession, DAY_SEC, ended, expireCall, readSession } from '../../../sessions.ts'
import { confirmCall, eventTypesOf, readIntent } from '../../../steps.ts'
import { strangeIds } from '../../strange-ids.ts'

const api = await startTestApi()
afterAll(() => api.stop())

describe('200', () => {
  test('the session is expired, without address or secret; its intent still waits, and no event is written [§3.5, §6.1]', async () => {
    const created = await createSession(api, '&metadata[order]=42')
    const answer = await api.call(expireCall(created.id))
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: ended(created) })
    expect(answer.text).not.toContain('secret')
    expect((await readSession(api, created.id)).body).toEqual({
      ...ended(created),
      client_secret: created.client_secret,
    })
    expect((await readIntent(api, created.payment_intent)).body.status).toBe('requires_payment_method')
    expect(await eventTypesOf(api, created.id)).toEqual([])
  })

  test('also after its end, before the sweep', async () => {
    const created = await createSession(api)
    api.advance(DAY_SEC * 1000)
    expect((await api.call(expireCall(created.id))).body).toEqual(ended(created))
  })

  test('also after a refused charge', async () => {
    const created = await createSession(api)
    await api.call(confirmCall(created.payment_intent, 'declines'))
    await settle(api)
    expect((await api.call(expireCall(created.id))).body).toEqual(ended(created))
  })

  test('the merchant may still confirm the intent', async () => {
    const created = await createSession(api)
    await api.call(expireCall(created.id))
    expect((await api.call(confirmCall(created.payment_intent))).status).toBe(200)
  })

  test('a replay has the same answer, byte for byte', async () => {
    const { id } = await createSession(api)
    const call = expireCall(id, { key: 'expire-once' })
    const first = await api.call(call)
    expect(await api.call(call)).toReplay(first)
  })
})

describe('404', () => {
  test('a foreign, an unknown and an ill-formed id have the same answer, byte for byte', async () => {
    const created = await createSession(api)
    const foreign = await api.call(expireCall(created.id, { merchant: 'globex' }))
    expect(foreign).toBeRefusal('resource_missing')
    for (const strange of strangeIds(created.id)) {
      const answer = await api.call(expireCall(strange))
      expect([strange, answer.text]).toEqual([strange, foreign.text])
    }
    expect((await readSession(api, created.id)).body).toEqual(created)
  })
})

describe('409', () => {
  test('an expired session cannot be expired again', async () => {
    const { id } = await createSession(api)
    await api.call(expireCall(id))
    expect(await api.call(expireCall(id))).toBeRefusal('session_not_open')
  })

  test('nor one that is paid, and the answer advises no second payment', async () => {
    const created = await createSession(api)
    await api.call(confirmCall(created.payment_intent))
    await settle(api)
    const answer = await api.call(expireCall(created.id))
    expect(answer).toBeRefusal('session_not_open')
    expect(answer.body.error.message).toBe('This checkout session is paid.')
  })

  test.each(['waitsForThePayer', 'acceptedThenReset'] as const)(
    'nor one whose charge is live: %s',
    async (ending) => {
      const created = await createSession(api)
      await api.call(confirmCall(created.payment_intent, ending))
      expect(await api.call(expireCall(created.id))).toBeRefusal('charge_in_progress')
      expect((await readSession(api, created.id)).body).toEqual(created)
    },
  )
})
