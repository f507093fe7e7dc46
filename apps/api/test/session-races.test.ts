import { afterAll, describe, expect, test } from 'vitest'
import { atOnce as callAtOnce, split } from './at-once.ts'
import { confirmInBrowser } from './browser/calls.ts'
import { settle, startTestApi, type TestCall } from './harness.ts'
import { chargesOf } from './rows.ts'
import {
  adoptCall,
  createSession,
  createSessionCall,
  expireCall,
  readSession,
  sessionForm,
} from './sessions.ts'
import { confirmCall, createIntent, eventTypesOf } from './steps.ts'

const AT_ONCE = 30

const api = await startTestApi()
afterAll(() => api.stop())

const atOnce = (callOf: (n: number) => TestCall) => callAtOnce(api, AT_ONCE, callOf)

const countOf = async (merchant: string) =>
  (await api.call({ path: '/v1/checkout/sessions?limit=100', merchant })).body.data.length

describe('thirty creations', () => {
  test('with one key make one session and one intent, and have one answer, byte for byte', async () => {
    const answers = await atOnce(() => createSessionCall(sessionForm, { key: 'one', merchant: 'storm' }))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(200)
    expect(await countOf('storm')).toBe(1)
    expect((await api.call({ path: '/v1/payment_intents', merchant: 'storm' })).body.data).toHaveLength(1)
  })

  test('that adopt one intent with thirty keys make one session', async () => {
    const { id } = await createIntent(api, '', { merchant: 'adopt' })
    const { matching, others } = split(await atOnce(() => adoptCall(id, '', { merchant: 'adopt' })), 200)
    expect(matching).toHaveLength(1)
    for (const answer of others) expect(answer).toBeRefusal('intent_has_session')
    expect(await countOf('adopt')).toBe(1)
  })

  test('that adopt one intent with one key make one session, and have one answer', async () => {
    const { id } = await createIntent(api)
    const answers = await atOnce(() => adoptCall(id, '', { key: 'adopt-once' }))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(200)
    expect(answers.filter(({ headers }) => headers['idempotent-replayed'] !== 'true')).toHaveLength(1)
  })
})

test('concurrent adoptions and confirms of one intent make one session and one charge', async () => {
  const { id } = await createIntent(api)
  const answers = await atOnce((n) => (n % 2 ? adoptCall(id) : confirmCall(id, 'waitsForThePayer')))
  const sessions = answers.filter(({ body }) => body.object === 'checkout.session')
  expect(sessions.length).toBeLessThanOrEqual(1)
  expect(await chargesOf(api, id)).toHaveLength(1)
  for (const answer of split(answers, 200).others) {
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

describe('concurrent requests of a payer and the merchant', () => {
  test.each(Array.from({ length: 5 }, (_, n) => n))(
    'confirms through a session and its expiry: one of them wins (%i)',
    async () => {
      const session = await createSession(api)
      const { payment_intent: intent, client_secret: secret } = session
      const answers = await atOnce((n) =>
        n % 2 ? expireCall(session.id) : confirmInBrowser(intent, secret, { ending: 'waitsForThePayer' }),
      )
      const confirms = answers.filter((_, n) => n % 2 === 0)
      const expiries = answers.filter((_, n) => n % 2 === 1)
      const [opened, ended] = [split(confirms, 200), split(expiries, 200)]
      expect(opened.matching.length + ended.matching.length).toBe(1)
      for (const answer of [...opened.others, ...ended.others]) {
        expect(answer).toBeRefusal(ended.matching.length > 0 ? 'session_not_open' : 'charge_in_progress')
      }
      expect(await chargesOf(api, intent)).toHaveLength(opened.matching.length)
      expect((await readSession(api, session.id)).body.status).toBe(
        ended.matching.length > 0 ? 'expired' : 'open',
      )
    },
  )

  test('a settlement and expiries: paid, and either complete or refused the expiry', async () => {
    const session = await createSession(api)
    await api.call(confirmInBrowser(session.payment_intent, session.client_secret))
    api.advance(60_000)
    const [answers] = await Promise.all([atOnce(() => expireCall(session.id)), settle(api, 0)])
    for (const answer of answers) {
      expect(['charge_in_progress', 'session_not_open']).toContain(answer.body.error?.code)
    }
    await settle(api)
    expect((await readSession(api, session.id)).body).toMatchObject({
      status: 'complete',
      payment_status: 'paid',
    })
    expect(await eventTypesOf(api, session.payment_intent)).toEqual(['payment_intent.succeeded'])
  })

  test('thirty confirms through a session open one charge', async () => {
    const { payment_intent: intent, client_secret: secret } = await createSession(api)
    const { matching, others } = split(
      await atOnce(() => confirmInBrowser(intent, secret, { ending: 'waitsForThePayer' })),
      200,
    )
    expect(matching).toHaveLength(1)
    for (const answer of others) expect(answer).toBeRefusal('charge_in_progress')
    expect(await chargesOf(api, intent)).toHaveLength(1)
  })
})
