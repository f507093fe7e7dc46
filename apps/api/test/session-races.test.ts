import { afterAll, describe, expect, test } from 'vitest'
import { startTestApi, type TestAnswer, type TestCall } from './harness.ts'
import { chargesOf } from './rows.ts'
import { adoptCall, createSession, createSessionCall, expireCall, sessionForm } from './sessions.ts'
import { confirmCall, createIntent, eventTypesOf } from './steps.ts'

const AT_ONCE = 30

const api = await startTestApi({ railTimeoutMs: 15_000 })
afterAll(() => api.stop())

const atOnce = (callOf: (n: number) => TestCall) =>
  Promise.all(Array.from({ length: AT_ONCE }, (_, n) => api.call(callOf(n))))

const split = (answers: readonly TestAnswer[], status: number) => ({
  matching: answers.filter((answer) => answer.status === status),
  others: answers.filter((answer) => answer.status !== status),
})

const countOf = async (merchant: string) =>
  (await api.call({ path: '/v1/checkout/sessions?limit=100', merchant })).body.data.length

describe('thirty creations', () => {
  test('with one key make one session and one intent, and give one answer, byte for byte', async () => {
    const answers = await atOnce(() => createSessionCall(sessionForm, { key: 'one', merchant: 'storm' }))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(201)
    expect(await countOf('storm')).toBe(1)
    expect((await api.call({ path: '/v1/payment_intents', merchant: 'storm' })).body.data).toHaveLength(1)
  })

  test('that adopt one intent with thirty keys make one session', async () => {
    const { id } = await createIntent(api, '', { merchant: 'adopt' })
    const { matching, others } = split(await atOnce(() => adoptCall(id, '', { merchant: 'adopt' })), 201)
    expect(matching).toHaveLength(1)
    for (const answer of others) expect(answer).toBeRefusal('intent_has_session')
    expect(await countOf('adopt')).toBe(1)
  })

  test('that adopt one intent with one key make one session, and give one answer', async () => {
    const { id } = await createIntent(api)
    const answers = await atOnce(() => adoptCall(id, '', { key: 'adopt-once' }))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(201)
    expect(answers.filter(({ headers }) => headers['idempotent-replayed'] !== 'true')).toHaveLength(1)
  })
})

test('adoptions and confirms of one intent at once: one session, one charge', async () => {
  const { id } = await createIntent(api)
  const answers = await atOnce((n) => (n % 2 ? adoptCall(id) : confirmCall(id, 'waitsForThePayer')))
  const sessions = answers.filter(({ status }) => status === 201)
  expect(sessions.length).toBeLessThanOrEqual(1)
  expect(await chargesOf(api, id)).toHaveLength(1)
  for (const answer of split(answers, 201).others.filter(({ status }) => status !== 200)) {
    expect(['charge_in_progress', 'intent_has_session']).toContain(answer.body.error.code)
  }
})

test('thirty expiries with thirty keys end a session once', async () => {
  const { id } = await createSession(api)
  const { matching, others } = split(await atOnce(() => expireCall(id)), 200)
  expect(matching).toHaveLength(1)
  for (const answer of others) expect(answer).toBeRefusal('session_not_open')
  expect(await eventTypesOf(api, id)).toEqual([])
})
