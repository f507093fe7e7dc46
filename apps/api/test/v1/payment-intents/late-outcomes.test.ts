import { randomUUID } from 'node:crypto'
import type { PaymentIntent } from '@merchant-payments/contract'
import { afterAll, describe, expect, test } from 'vitest'
import { PUSH_RAIL, settle, startTestApi } from '../../harness.ts'
import { chargesOf, chargeStatesOf } from '../../rows.ts'
import {
  cancelCall,
  confirmCall,
  confirmedIntent,
  createIntent,
  eventsOf,
  eventTypesOf,
  readIntent,
  rescue,
  withoutSecret,
} from '../../steps.ts'

const HOUR_MS = 60 * 60 * 1000

const api = await startTestApi()
afterAll(() => api.stop())

const read = async ({ id }: PaymentIntent): Promise<PaymentIntent> => (await readIntent(api, id)).body

/** An intent whose charge the rail reported as failed; `rescue` makes the rail report a success. */
async function failedIntent() {
  const created = await createIntent(api)
  await api.call(confirmCall(created.id, 'failsThenSucceeds'))
  await settle(api)
  expect(await read(created)).toMatchObject({
    status: 'requires_payment_method',
    last_payment_error: { code: 'approval_timeout' },
  })
  return created
}

const alertNames = () => api.alerts.map(({ name }) => name)

describe('a success after a failure', () => {
  test('is an ordinary success: the error is cleared, with one event [§1.5]', async () => {
    const created = await failedIntent()
    await rescue(api)
    await settle(api)
    const succeeded = { ...created, status: 'succeeded' }
    expect(await read(created)).toEqual(succeeded)
    const events = await eventsOf(api, created.id)
    expect(events.map(({ type }) => type)).toEqual([
      'payment_intent.payment_failed',
      'payment_intent.succeeded',
    ])
    expect(events.at(-1)?.data.object).toEqual(withoutSecret(succeeded as PaymentIntent))
    expect(await chargeStatesOf(api, created.id)).toEqual(['succeeded'])
    await settle(api, HOUR_MS)
    expect(await eventTypesOf(api, created.id)).toHaveLength(2)
  })

  test('and after a cancellation is an ordinary success too', async () => {
    const created = await failedIntent()
    await api.call(cancelCall(created.id, { form: 'cancellation_reason=abandoned' }))
    await rescue(api)
    await settle(api)
    expect(await read(created)).toEqual({ ...created, status: 'succeeded' })
    expect(await eventTypesOf(api, created.id)).toEqual([
      'payment_intent.payment_failed',
      'payment_intent.canceled',
      'payment_intent.succeeded',
    ])
  })

  test('pays the intent while another charge is live, whose failure then changes nothing', async () => {
    const created = await failedIntent()
    await api.call(confirmCall(created.id, 'waitsForThePayer'))
    await rescue(api)
    await settle(api)
    const succeeded = { ...created, status: 'succeeded' }
    expect(await read(created)).toEqual(succeeded)
    expect(await chargeStatesOf(api, created.id)).toEqual(['succeeded', 'live'])
    expect(await api.call(confirmCall(created.id))).toBeRefusal('charge_terminal')
    const [, live] = await chargesOf(api, created.id)
    await api.mock.control.refuseCharge(live?.reference ?? '')
    await settle(api)
    expect(await chargeStatesOf(api, created.id)).toEqual(['succeeded', 'failed'])
    expect(await read(created)).toEqual(succeeded)
    expect(await eventTypesOf(api, created.id)).toEqual([
      'payment_intent.payment_failed',
      'payment_intent.succeeded',
    ])
  })

  test('answers a confirm that never reached the rail and is sent again under its key', async () => {
    const created = await failedIntent()
    const request = confirmCall(created.id, undefined, { key: randomUUID() })
    await api.wire.cut()
    expect(await api.call(request)).toBeRefusal('provider_unavailable')
    await api.wire.mend()
    await rescue(api)
    await settle(api)
    const answer = await api.call(request)
    expect(answer).toMatchObject({ status: 200, body: withoutSecret(await read(created)) })
    expect(answer.body.status).toBe('succeeded')
    expect(await api.call(request)).toReplay(answer)
    expect(await api.call(confirmCall(created.id))).toBeRefusal('charge_terminal')
    expect(await chargeStatesOf(api, created.id)).toEqual(['succeeded', 'abandoned'])
  })

  test('besides another success is a duplicate: an alert and no event', async () => {
    const created = await failedIntent()
    await api.call(confirmCall(created.id, 'approves'))
    await settle(api, 2_000)
    expect(await chargeStatesOf(api, created.id)).toEqual(['failed', 'succeeded'])
    const events = await eventsOf(api, created.id)
    expect(alertNames()).not.toContain('charge_duplicate_success')
    await rescue(api)
    await settle(api)
    expect(await chargeStatesOf(api, created.id)).toEqual(['duplicate', 'succeeded'])
    expect(await read(created)).toEqual({ ...created, status: 'succeeded' })
    expect(await eventsOf(api, created.id)).toEqual(events)
    expect(alertNames().filter((name) => name === 'charge_duplicate_success')).toHaveLength(1)
  })

  test('is found two days later', async () => {
    const created = await failedIntent()
    for (let hour = 0; hour < 46; hour += 1) await settle(api, HOUR_MS)
    await rescue(api)
    await settle(api, HOUR_MS)
    expect((await read(created)).status).toBe('succeeded')
  })

  test('is not queried after that', async () => {
    const created = await failedIntent()
    const [charge] = await chargesOf(api, created.id)
    for (let hour = 0; hour < 49; hour += 1) await settle(api, HOUR_MS)
    const queries = async () =>
      (await api.mock.control.listCalls({ operation: 'status' })).filter(
        (call) => call.reference === charge?.reference,
      ).length
    const asked = await queries()
    for (let hour = 0; hour < 3; hour += 1) await settle(api, HOUR_MS)
    expect(await queries()).toBe(asked)
  })
})

describe('answers that settle nothing', () => {
  test('a success of another amount: an alert, and the intent keeps waiting', async () => {
    const created = await confirmedIntent(api, 'paysAnotherAmount')
    await settle(api)
    expect((await read(created)).status).toBe('processing')
    expect(await eventTypesOf(api, created.id)).toEqual([])
    expect(alertNames()).toContain('charge_amount_mismatch')
  })

  test('an undocumented status, and an unreachable rail', async () => {
    const created = await createIntent(api)
    await api.call({
      path: `/v1/payment_intents/${created.id}/confirm`,
      form: `payment_method_data[${PUSH_RAIL}][msisdn]=237670000475`,
    })
    await settle(api)
    expect(alertNames()).toContain('rail_unknown_status')
    await api.wire.cut()
    for (let pass = 0; pass < 5; pass += 1) await settle(api, HOUR_MS)
    await api.wire.mend()
    expect((await read(created)).status).toBe('processing')
    expect(await eventTypesOf(api, created.id)).toEqual([])
  })

  test('a charge that the rail accepted and then does not know: an alert', async () => {
    const processing = await confirmedIntent(api, 'staysPending')
    await api.mock.control.reset()
    for (let pass = 0; pass < 5; pass += 1) await settle(api, 5 * 60_000)
    expect((await read(processing)).status).toBe('processing')
    expect(await eventTypesOf(api, processing.id)).toEqual([])
    expect(alertNames()).toContain('charge_vanished')
  })
})
