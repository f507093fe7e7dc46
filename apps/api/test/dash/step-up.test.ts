import { instant } from '@merchant-payments/db'
import { STRONG_ACR } from '@merchant-payments/identity-provider'
import { afterAll, describe, expect, test } from 'vitest'
import { publicBaseUrl } from '../harness.ts'
import { succeededIntent } from '../steps.ts'
import { dashOperations } from '../v1/operations.ts'
import { openBrowser, passProvider, type StaffMember, startStaffApi } from './staff.ts'

const MAX_AGE_SEC = 300

const api = await startStaffApi({ stepUp: { maxAgeSec: MAX_AGE_SEC, acrValues: [STRONG_ACR] } })
afterAll(() => api.stop())

/** Sets every sign-in back in time. */
const ageSignIns = (sec: number | null) =>
  api.db.transact((tx) =>
    tx
      .updateTable('staff_sessions')
      .set({ auth_time: sec === null ? null : instant(api.clock() - sec * 1_000) })
      .execute(),
  )

const refund = (who: StaffMember, intent: string) =>
  who.post(`/payment_intents/${intent}/refund`, { amount: '100', reason: 'A test.' })

describe('a change that requires a recent sign-in', () => {
  test('is refused after an old sign-in, and made after a new one', async () => {
    const { id: intent } = await succeededIntent(api)
    const omar = await api.signInAs('omar')
    expect(await refund(omar, intent)).toMatchObject({ status: 200 })
    await ageSignIns(MAX_AGE_SEC - 60)
    expect(await refund(omar, intent)).toMatchObject({ status: 200 })
    await ageSignIns(MAX_AGE_SEC + 60)
    expect(await refund(omar, intent)).toBeRefusal('step_up_required')
    expect((await omar.get(`/payment_intents/${intent}`)).body.refunds).toHaveLength(2)
    expect(await refund(await api.signInAs('omar'), intent)).toMatchObject({ status: 200 })
  })

  test('is refused if the provider does not report the time of the sign-in', async () => {
    const { id: intent } = await succeededIntent(api)
    const omar = await api.signInAs('omar')
    await ageSignIns(null)
    expect(await refund(omar, intent)).toBeRefusal('step_up_required')
  })

  test('is each that moves money, erases, or disables a merchant; every other requires only the session', async () => {
    expect(
      dashOperations
        .filter(({ isGrave }) => isGrave)
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual([
      'dash.approvalRequests.approve',
      'dash.charges.resolve',
      'dash.charges.return',
      'dash.customers.erase',
      'dash.merchantClients.disable',
      'dash.merchantClients.enable',
      'dash.paymentIntents.refund',
    ])
    const omar = await api.signInAs('omar')
    await ageSignIns(MAX_AGE_SEC + 60)
    const id = `pi_${'0'.repeat(32)}`
    expect(await omar.post(`/payment_intents/${id}/cancel`, { reason: 'A test.' })).toBeRefusal(
      'resource_missing',
    )
    expect((await omar.get('/payment_intents')).status).toBe(200)
  })

  test('by a role that is too low is refused because of the role', async () => {
    const vera = await api.signInAs('vera')
    await ageSignIns(MAX_AGE_SEC + 60)
    expect(await refund(vera, `pi_${'0'.repeat(32)}`)).toBeRefusal('forbidden')
  })
})

describe('a sign-in', () => {
  test('asks the provider for the time of the last sign-in, and for a step-up to authenticate again', async () => {
    const asked = async (query: string) => {
      const sent = await openBrowser(api).go(`/dash/v1/sign_in${query}`)
      const { searchParams } = new URL(sent.headers.location ?? '')
      return ['max_age', 'prompt', 'acr_values'].map((name) => searchParams.get(name))
    }
    expect(await asked('')).toEqual(['28800', null, STRONG_ACR])
    expect(await asked('?step_up=true')).toEqual(['0', 'login', STRONG_ACR])
    expect(await asked('?step_up=1')).toEqual(['28800', null, STRONG_ACR])
  })

  test('for a step-up makes the provider authenticate a known person again, and otherwise only once', async () => {
    const cookies = new Map<string, string>()
    const pages = async (path: string) => {
      const sent = await openBrowser(api).go(path)
      const forms: string[] = []
      await passProvider(sent.headers.location ?? '', 'omar', cookies, () => forms.push('asked'))
      return forms.length
    }
    expect(await pages('/dash/v1/sign_in')).toBe(1)
    expect(await pages('/dash/v1/sign_in')).toBe(0)
    expect(await pages('/dash/v1/sign_in?step_up=true')).toBe(1)
  })

  test('that is weaker than required allows only reading', async () => {
    const strict = await startStaffApi({
      stepUp: { maxAgeSec: MAX_AGE_SEC, acrValues: ['urn:a-hardware-key'] },
    })
    const { id: intent } = await succeededIntent(strict)
    const omar = await strict.signInAs('omar')
    expect((await omar.get(`/payment_intents/${intent}`)).status).toBe(200)
    expect(await refund(omar, intent)).toBeRefusal('step_up_required')
    await strict.stop()
  })
})

test('without a configured step-up allows every change, and asks the provider for no age', async () => {
  const plain = await startStaffApi()
  const { id: intent } = await succeededIntent(plain)
  expect(await refund(await plain.signInAs('omar'), intent)).toMatchObject({ status: 200 })
  const sent = await openBrowser(plain).go('/dash/v1/sign_in')
  const { searchParams } = new URL(sent.headers.location ?? publicBaseUrl)
  expect(searchParams.has('max_age')).toBe(false)
  await plain.stop()
})
