import type { RailCode } from '@merchant-payments/core'
import { afterAll, describe, expect, test } from 'vitest'
import { act, actionCall, openInvoice } from '../../bills.ts'
import { confirmInBrowser } from '../../browser/calls.ts'
import { PUSH_RAIL, type Replica, startTestApi } from '../../harness.ts'
import { eraseCustomer } from '../../rows.ts'
import { cancelCall, confirmCall, confirmForm, readIntent } from '../../steps.ts'

const api = await startTestApi()
afterAll(() => api.stop())

async function paidFor(invoice: string, replica: Replica = api): Promise<string> {
  const { payment_intent: intent } = await act(replica, invoice, 'pay')
  if (intent === null) throw new Error('no intent')
  return intent
}

/** Ends this many charges, which the rail refuses at once. */
async function spend(intent: string, charges: number): Promise<void> {
  await api.mock.control.updateSettings({ mtn: { refusalsAt: 'submit' } })
  const form = `payment_method_data[${PUSH_RAIL}][msisdn]=237670000455`
  for (let n = 0; n < charges; n += 1) {
    expect(await api.call({ ...confirmCall(intent), form })).toMatchObject({ status: 200 })
  }
  await api.mock.control.updateSettings({ mtn: { refusalsAt: 'status' } })
}

const confirmByPayer = async (intent: string) => {
  const { body } = await readIntent(api, intent)
  return api.call(confirmInBrowser(intent, body.client_secret, { form: confirmForm() }))
}

const wayOut = /cancel it, then pay its invoice again/i

/** Expects that the way that the refusal names leads to an intent that can be confirmed. */
async function expectWayOut(invoice: string, spent: string): Promise<void> {
  expect(await api.call(cancelCall(spent))).toMatchObject({ status: 200 })
  const fresh = await paidFor(invoice)
  expect(fresh).not.toBe(spent)
  expect(await confirmByPayer(fresh)).toMatchObject({ status: 200, body: { status: 'processing' } })
}

describe('pay hands out no intent that its payer cannot confirm', () => {
  test('an intent is handed out until its payers have used their last attempt', async () => {
    const { id } = await openInvoice(api)
    const intent = await paidFor(id)
    await spend(intent, 9)
    expect(await paidFor(id)).toBe(intent)
    expect(await confirmByPayer(intent)).toMatchObject({ status: 200, body: { status: 'processing' } })
  })

  test.each([
    ['its payers have used their 10 attempts', 10],
    ['all its 25 attempts are used', 25],
  ])('%s: cancel it, and pay again', async (_, charges) => {
    const { id } = await openInvoice(api)
    const intent = await paidFor(id)
    await spend(intent, charges)
    const refused = await api.call(actionCall(id, 'pay'))
    expect(refused).toBeRefusal('too_many_attempts')
    expect(refused.body.error.message).toMatch(wayOut)
    await expectWayOut(id, intent)
  })

  test('a confirm beyond the attempts names the same way out', async () => {
    const { id } = await openInvoice(api)
    const intent = await paidFor(id)
    await spend(intent, 10)
    const byPayer = await confirmByPayer(intent)
    expect(byPayer).toBeRefusal('too_many_attempts')
    expect(byPayer.body.error.message).toMatch(wayOut)
    await api.call(cancelCall(intent))
    const canceled = await api.call(confirmCall(intent))
    expect(canceled).toBeRefusal('intent_canceled')
    expect(canceled.body.error.message).toMatch(/pay its invoice again/i)
  })

  test('its only rail has another code now: cancel it, and pay again', async () => {
    const { id } = await openInvoice(api)
    const intent = await paidFor(id)
    const rail = api.rails.get(PUSH_RAIL)
    if (rail === undefined) throw new Error('no rail')
    const code = 'mtn_momo_cm_2' as RailCode
    const later = await api.deploy(new Map([[code, { ...rail, code }]]))
    const refused = await later.call(actionCall(id, 'pay'))
    expect(refused).toBeRefusal('intent_has_no_rail')
    expect(refused.body.error.message).toMatch(wayOut)
    // A replica that still has the rail is not affected.
    expect(await paidFor(id)).toBe(intent)
    await later.call(cancelCall(intent))
    const fresh = await paidFor(id, later)
    const form = `payment_method_data[${code}][msisdn]=237670000001`
    expect(await later.call({ ...confirmCall(fresh), form })).toMatchObject({ status: 200 })
  })

  test('no rail is left at all: nothing to cancel for', async () => {
    const { id } = await openInvoice(api)
    await paidFor(id)
    const later = await api.deploy(new Map())
    expect(await later.call(actionCall(id, 'pay'))).toBeRefusal('invalid_request', 'payment_method_types')
  })

  test('the customer was erased meanwhile: refused as the first pay would be', async () => {
    const { id, customer } = await openInvoice(api)
    await paidFor(id)
    await eraseCustomer(api, customer)
    expect(await api.call(actionCall(id, 'pay'))).toBeRefusal('customer_erased')
  })

  test('concurrent pays and confirms of the last attempt agree', async () => {
    const { id } = await openInvoice(api)
    const intent = await paidFor(id)
    await spend(intent, 9)
    const pay = () => api.call(actionCall(id, 'pay'))
    const [confirmed, ...pays] = await Promise.all([
      confirmByPayer(intent),
      ...Array.from({ length: 8 }, () => pay()),
    ])
    expect(confirmed).toMatchObject({ status: 200 })
    for (const answer of pays) {
      if (answer.status === 200) expect(answer.body.payment_intent).toBe(intent)
      else expect(answer).toBeRefusal('charge_in_progress')
    }
    expect(await pay()).toBeRefusal('charge_in_progress')
  })
})
