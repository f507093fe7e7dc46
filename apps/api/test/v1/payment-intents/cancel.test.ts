import { afterAll, describe, expect, test } from 'vitest'
import { settle, startTestApi } from '../../harness.ts'
import { chargeStatesOf } from '../../rows.ts'
import {
  aboutNow,
  cancelCall,
  canceledIntent,
  confirmCall,
  confirmedIntent,
  createIntent,
  eventsOf,
  eventTypesOf,
  readIntent,
  succeededIntent,
  withoutSecret,
} from '../../steps.ts'
import { strangeIds } from '../strange-ids.ts'

const api = await startTestApi()
afterAll(() => api.stop())

const cancel = (id: string, form: string) => api.call(cancelCall(id, { form }))

describe('200', () => {
  test('an intent without a charge: the body is the complete intent, without its secret [§2.4]', async () => {
    const created = await createIntent(api, '&metadata[order]=42')
    const answer = await api.call(cancelCall(created.id))
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 200,
      body: { ...withoutSecret(created), status: 'canceled', canceled_at: aboutNow(api) },
    })
    expect(answer.text).not.toContain('secret')
    expect(answer).toHaveRequestId()
    const { client_secret: secret, ...read } = (await readIntent(api, created.id)).body
    expect(read).toEqual(answer.body)
    expect(secret).toBe(created.client_secret)
  })

  test('one event, whose snapshot is the canceled intent [§3.1, §6.1]', async () => {
    const canceled = await canceledIntent(api)
    expect(await eventsOf(api, canceled.id)).toEqual([
      {
        id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
        object: 'event',
        type: 'payment_intent.canceled',
        created: aboutNow(api),
        livemode: false,
        data: { object: canceled },
      },
    ])
  })

  test.each(['duplicate', 'fraudulent', 'requested_by_customer', 'abandoned'])(
    'the reason %s is kept',
    async (reason) => {
      const { id } = await createIntent(api)
      expect((await cancel(id, `cancellation_reason=${reason}`)).body).toMatchObject({
        status: 'canceled',
        cancellation_reason: reason,
      })
      expect((await readIntent(api, id)).body.cancellation_reason).toBe(reason)
    },
  )

  test.each([
    ['an empty body', ''],
    ['unknown parameters', 'amount=1&status=succeeded&foo[bar][]=x&__proto__[status]=x'],
  ])('%s cancels without a reason', async (_, form) => {
    const { id } = await createIntent(api)
    expect((await cancel(id, form)).body).toMatchObject({ status: 'canceled', cancellation_reason: null })
  })

  test('a processing intent: the charge is still queried [§3.1]', async () => {
    const { id } = await confirmedIntent(api, 'waitsForThePayer')
    expect((await api.call(cancelCall(id))).body).toMatchObject({
      status: 'canceled',
      canceled_at: aboutNow(api),
    })
    expect(await chargeStatesOf(api, id)).toEqual(['live'])
    expect(await eventTypesOf(api, id)).toEqual(['payment_intent.canceled'])
  })

  test('a refused intent keeps its error', async () => {
    const { id } = await confirmedIntent(api, 'declines')
    await settle(api)
    const { last_payment_error: refused } = (await readIntent(api, id)).body
    expect(refused).not.toBeNull()
    expect((await api.call(cancelCall(id))).body).toMatchObject({
      status: 'canceled',
      last_payment_error: refused,
    })
  })

  test('an unresolved charge does not prevent it, and is still queried', async () => {
    const { id } = await createIntent(api)
    await api.call(confirmCall(id, 'acceptedThenReset'))
    expect((await api.call(cancelCall(id))).body.status).toBe('canceled')
    expect(await chargeStatesOf(api, id)).toEqual(['unconfirmed'])
  })
})

describe('400', () => {
  test.each([
    ['an unknown reason', 'cancellation_reason=other'],
    ['a reason in capitals', 'cancellation_reason=Duplicate'],
    ['a reason with a space', 'cancellation_reason=duplicate+'],
    ['an empty reason', 'cancellation_reason='],
    ['a list', 'cancellation_reason[]=duplicate'],
    ['a map', 'cancellation_reason[a]=duplicate'],
    ['a reason twice', 'cancellation_reason=duplicate&cancellation_reason=duplicate'],
    ['a property', 'cancellation_reason=__proto__'],
    ['a NUL', 'cancellation_reason=duplicate%00'],
    ['a broken escape', 'cancellation_reason=%'],
  ])('%s is refused by name, and changes nothing', async (_, form) => {
    const created = await createIntent(api)
    const answer = await cancel(created.id, form)
    expect(answer).toBeRefusal(
      'invalid_request',
      form.startsWith('cancellation_reason[') ? answer.body.error.param : 'cancellation_reason',
    )
    expect(answer.body.error.param).toMatch(/^cancellation_reason/)
    expect((await readIntent(api, created.id)).body).toEqual(created)
  })
})

describe('404', () => {
  test('a foreign, an unknown and an ill-formed id have the same answer, byte for byte', async () => {
    const created = await createIntent(api)
    const foreign = await api.call(cancelCall(created.id, { merchant: 'globex' }))
    expect(foreign).toBeRefusal('resource_missing')
    for (const strange of strangeIds(created.id)) {
      const answer = await api.call(cancelCall(strange))
      expect([strange, answer.text]).toEqual([strange, foreign.text])
      expect(answer).toBeRefusal('resource_missing')
    }
    expect((await readIntent(api, created.id)).body).toEqual(created)
  })
})

describe('409', () => {
  test('a canceled intent cannot be canceled again, without a second event', async () => {
    const { id } = await canceledIntent(api)
    expect(await cancel(id, 'cancellation_reason=duplicate')).toBeRefusal('intent_canceled')
    expect((await readIntent(api, id)).body.cancellation_reason).toBeNull()
    expect(await eventTypesOf(api, id)).toEqual(['payment_intent.canceled'])
  })

  test('a succeeded intent cannot be canceled, and the answer advises no second payment', async () => {
    const succeeded = await succeededIntent(api)
    const answer = await api.call(cancelCall(succeeded.id))
    expect(answer).toBeRefusal('charge_terminal')
    expect(answer.body.error.message).toBe('This payment intent is paid.')
    expect((await readIntent(api, succeeded.id)).body).toEqual(succeeded)
    expect(await eventTypesOf(api, succeeded.id)).toEqual(['payment_intent.succeeded'])
  })
})

describe('after a cancellation', () => {
  test('a late success makes the intent succeeded, like every success', async () => {
    const created = await createIntent(api)
    await api.call(confirmCall(created.id, 'approves'))
    await cancel(created.id, 'cancellation_reason=abandoned')
    await settle(api)
    const succeeded = { ...withoutSecret(created), status: 'succeeded' }
    expect(withoutSecret((await readIntent(api, created.id)).body)).toEqual(succeeded)
    const events = await eventsOf(api, created.id)
    expect(events.map(({ type }) => type)).toEqual(['payment_intent.canceled', 'payment_intent.succeeded'])
    expect(events.at(-1)?.data.object).toEqual(succeeded)
    expect(await api.call(cancelCall(created.id))).toBeRefusal('charge_terminal')
  })

  test('a late failure leaves the intent canceled, and writes nothing', async () => {
    const { id } = await confirmedIntent(api, 'declines')
    await api.call(cancelCall(id))
    const before = (await readIntent(api, id)).body
    await settle(api)
    expect(await chargeStatesOf(api, id)).toEqual(['failed'])
    expect((await readIntent(api, id)).body).toEqual(before)
    expect(await eventTypesOf(api, id)).toEqual(['payment_intent.canceled'])
  })
})
