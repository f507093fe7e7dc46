import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { LOOKUPS_PER_MERCHANT } from '../../../src/lookups.ts'
import { EURO_RAIL, ORANGE_RAIL, PUSH_RAIL, settle, startTestApi } from '../../harness.ts'
import { openOrange } from '../../orange.ts'
import { disableClient, enableClient } from '../../rows.ts'
import { createSession, expireCall } from '../../sessions.ts'
import { cancelCall, confirmCall, createCall, createIntent, readIntent } from '../../steps.ts'
import { browserCall, type Shown, wrongCredentials } from '../calls.ts'

const api = await startTestApi()
afterAll(() => api.stop())

const NUMBER = '237670000001'
const LOOKUPS_MAX = 5

const queryOf = (msisdn = NUMBER, rail: string = PUSH_RAIL) =>
  `?payment_method_type=${rail}&msisdn=${encodeURIComponent(msisdn)}`
const lookUp = (shown: Shown, query = queryOf()) => api.call(browserCall(`/account_holders${query}`, shown))
const timesAsked = async () => (await api.mock.control.listCalls({ operation: 'accountholder' })).length

const holder = {
  object: 'account_holder',
  payment_method_type: PUSH_RAIL,
  msisdn: NUMBER,
  registered: true,
  name: 'S••• B•••',
  livemode: false,
}

describe('200', () => {
  test.each(['6 70 00 00 01', '+237670000001'])(
    '%s: the number in its one form, and of the name no more than its initials',
    async (spelling) => {
      const { client_secret: secret } = await createIntent(api)
      const answer = await lookUp({ secret }, queryOf(spelling))
      expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: holder })
      expect(answer.headers).toMatchObject({
        'cache-control': 'no-store',
        'access-control-allow-origin': '*',
      })
      expect(answer).toHaveRequestId()
    },
  )

  test('a session’s secret works like its intent’s', async () => {
    const { client_secret: secret } = await createSession(api)
    expect((await lookUp({ secret: secret ?? '' })).body).toEqual(holder)
  })

  test('an unknown account is not registered, and has no name', async () => {
    const { client_secret: secret } = await createIntent(api)
    const msisdn = '237670000450'
    const { body } = await lookUp({ secret }, queryOf(msisdn))
    expect(body).toEqual({ ...holder, msisdn, registered: false, name: null })
  })
})

describe('400', () => {
  test.each([
    ['', 'payment_method_type'],
    [`?payment_method_type=${PUSH_RAIL}`, 'msisdn'],
    [queryOf('12345'), 'msisdn'],
    [queryOf(NUMBER, 'other'), 'payment_method_type'],
    [queryOf(NUMBER, '__proto__'), 'payment_method_type'],
    // Enabled, but not a rail of this payment.
    [queryOf(NUMBER, EURO_RAIL), 'payment_method_type'],
    [`${queryOf()}&name=Ada`, 'name'],
  ])('%s is refused by name, without a call to the rail', async (query, param) => {
    const { client_secret: secret } = await createIntent(api)
    const before = await timesAsked()
    expect(await lookUp({ secret }, query)).toBeRefusal('invalid_request', param)
    expect(await timesAsked()).toBe(before)
  })
})

describe('404', () => {
  test('every wrong key or secret has the same answer, without a call to the rail', async () => {
    const { id, client_secret: secret = '' } = await createIntent(api)
    const other = await createIntent(api)
    const forged = `${id}_secret_${(other.client_secret ?? '').split('_secret_')[1]}`
    const before = await timesAsked()
    const texts = new Set<string>()
    for (const [fault, shown] of wrongCredentials(id, secret, forged)) {
      const answer = await lookUp(shown)
      expect([fault, answer.status]).toEqual([fault, 404])
      expect(answer).toBeRefusal('resource_missing')
      texts.add(answer.text)
    }
    expect(texts.size).toBe(1)
    expect(await timesAsked()).toBe(before)
  })

  test('payers of a disabled client get no name', async () => {
    const { client_secret: secret } = await createIntent(api)
    await disableClient(api, 'acme')
    expect(await lookUp({ secret })).toBeRefusal('resource_missing')
    await enableClient(api, 'acme')
    expect((await lookUp({ secret })).status).toBe(200)
  })

  test('a deployment that does not enable it has no such route', async () => {
    const closed = await startTestApi({ payersMayLookUp: false })
    const { client_secret: secret } = await createIntent(closed)
    for (const method of ['GET', 'POST'] as const) {
      const call = browserCall(`/account_holders${queryOf()}`, { secret }, { method })
      expect(await closed.call(call)).toBeRefusal('unknown_route')
    }
    await closed.stop()
  })
})

describe('409', () => {
  test('a payment has five look-ups, whatever their outcome, and another payment has its own', async () => {
    const { client_secret: secret } = await createIntent(api)
    expect(await lookUp({ secret }, queryOf('12'))).toBeRefusal('invalid_request', 'msisdn')
    for (let count = 0; count < LOOKUPS_MAX; count += 1) {
      const msisdn = count % 2 === 0 ? NUMBER : '237670000450'
      expect((await lookUp({ secret }, queryOf(msisdn))).status).toBe(200)
    }
    const before = await timesAsked()
    expect(await lookUp({ secret })).toBeRefusal('lookups_spent')
    expect(await timesAsked()).toBe(before)
    const { client_secret: another } = await createIntent(api)
    expect((await lookUp({ secret: another })).status).toBe(200)
  })

  test('a session and its intent share the look-ups of their payment, also for concurrent calls', async () => {
    const session = await createSession(api)
    const { client_secret: own } = (await readIntent(api, session.payment_intent)).body
    const secrets = [session.client_secret ?? '', own]
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => lookUp({ secret: secrets[index % 2] })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(LOOKUPS_MAX)
  })

  test('a payer who can no longer pay cannot look up a number', async () => {
    const waiting = await createIntent(api)
    await api.call(confirmCall(waiting.id, 'waitsForThePayer'))
    const canceled = await createIntent(api)
    await api.call(cancelCall(canceled.id))
    const session = await createSession(api)
    await api.call(expireCall(session.id))
    const paid = await createIntent(api)
    await api.call(confirmCall(paid.id, 'approves'))
    await settle(api)
    const before = await timesAsked()
    for (const [secret, code] of [
      [waiting.client_secret, 'charge_in_progress'],
      [canceled.client_secret, 'intent_canceled'],
      [session.client_secret ?? '', 'session_not_open'],
      [paid.client_secret, 'charge_terminal'],
    ] as const) {
      expect(await lookUp({ secret })).toBeRefusal(code)
    }
    expect(await timesAsked()).toBe(before)
  })
})

describe('501', () => {
  test('a rail without look-ups', async () => {
    const orange = await openOrange(api)
    onTestFinished(() => orange.stop())
    const form = `amount=5000&currency=XAF&payment_method_types[0]=${ORANGE_RAIL}`
    const { body } = await orange.call(createCall(form))
    const query = queryOf('237690000001', ORANGE_RAIL)
    const call = browserCall(`/account_holders${query}`, { secret: body.client_secret })
    expect(await orange.call(call)).toBeRefusal('not_supported')
  })
})

describe('502', () => {
  test('a rail whose answer is unusable', async () => {
    const { client_secret: secret } = await createIntent(api)
    expect(await lookUp({ secret }, queryOf('237670000452'))).toBeRefusal('provider_unavailable')
  })
})

describe('503', () => {
  test('the payers of one merchant share a budget, separate from the merchant’s own', async () => {
    const few = await startTestApi({ lookups: 'few', clock: 'still' })
    onTestFinished(() => few.stop())
    const { burst } = LOOKUPS_PER_MERCHANT
    const payments = await Promise.all(
      Array.from({ length: burst / LOOKUPS_MAX + 1 }, () => createIntent(few)),
    )
    const asked = payments.flatMap(({ client_secret: secret }) =>
      Array.from({ length: LOOKUPS_MAX }, () =>
        few.call(browserCall(`/account_holders${queryOf()}`, { secret })),
      ),
    )
    const answers = await Promise.all(asked)
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused).toHaveLength(LOOKUPS_MAX)
    for (const answer of refused) expect(answer).toBeRefusal('service_unavailable')
    expect(await few.figure('account_holder_lookups_total{surface="browser",result="refused"}')).toBe(
      LOOKUPS_MAX,
    )
    expect(await few.call({ path: `/v1/account_holders${queryOf()}` })).toMatchObject({ status: 200 })

    // A refusal by the merchant's budget does not count against the payment's budget.
    few.advance((LOOKUPS_MAX * 1_000) / LOOKUPS_PER_MERCHANT.perSecond)
    const again = payments.map(({ client_secret: secret }) =>
      few.call(browserCall(`/account_holders${queryOf()}`, { secret })),
    )
    const statuses = (await Promise.all(again)).map(({ status }) => status)
    expect(statuses.every((status) => status === 200 || status === 409)).toBe(true)
    expect(await few.figure('account_holder_lookups_total{surface="browser",result="spent"}')).toBe(
      statuses.filter((status) => status === 409).length,
    )
    expect(statuses).toContain(200)
  })
})
