import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { EURO_RAIL, instruct, ORANGE_RAIL, PUSH_RAIL, settle, startTestApi } from '../../harness.ts'
import { openOrange } from '../../orange.ts'
import {
  createRefund,
  creditsOf,
  instructionOf,
  payees,
  readRefund,
  refundCall,
  refundForm,
  refundIdsOf,
  reservedOf,
  type Payee,
} from '../../refunds.ts'
import { disableClient, enableClient } from '../../rows.ts'
import {
  aboutNow,
  canceledIntent,
  confirmedIntent,
  createIntent,
  eventsOf,
  eventTypesOf,
  succeededIntent,
} from '../../steps.ts'

const api = await startTestApi()
const orange = await openOrange(api)
afterAll(async () => {
  await orange.stop()
  await api.stop()
})
afterEach(() => api.mock.control.updateSettings({ mtn: { refusalsAt: 'status' } }))

const AT_ONCE = 100
const refuseAtSubmit = () => api.mock.control.updateSettings({ mtn: { refusalsAt: 'submit' } })
const TWO_DAYS_MS = 48 * 60 * 60_000
/** Checks of the worker after which the rail's missing refund is final, and the end of those that follow. */
async function believeRefusals(): Promise<void> {
  for (let look = 0; look < 3; look += 1) await instruct(api, 120_000)
  await instruct(api, TWO_DAYS_MS)
}

const written = (intentId: string, fields: object = {}) => ({
  id: expect.stringMatching(/^re_[0-9a-f]{32}$/),
  object: 'refund',
  amount: 5000,
  currency: 'XAF',
  payment_intent: intentId,
  status: 'pending',
  fee: null,
  reason: null,
  failure_reason: null,
  destination_details: { type: PUSH_RAIL },
  metadata: {},
  created: aboutNow(api),
  livemode: false,
  ...fields,
})

describe('201', () => {
  test('the refund is pending, its fee is null, and its number is not shown [§2.7, §4.5.1, §6.1, §6.2]', async () => {
    const { id } = await succeededIntent(api)
    const answer = await api.call(
      refundCall(id, '&amount=2000&reason=requested_by_customer&metadata[ticket]=4711&metadata[empty]='),
    )
    const refund = written(id, {
      amount: 2000,
      reason: 'requested_by_customer',
      metadata: { ticket: '4711' },
    })
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 201, body: refund })
    expect(answer).toHaveRequestId()
    expect(answer.text).not.toContain(payees.takes)
    expect((await readRefund(api, answer.body.id)).body).toEqual(answer.body)
    expect(await eventsOf(api, answer.body.id)).toEqual([
      {
        id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
        object: 'event',
        type: 'charge.refunded',
        created: aboutNow(api),
        livemode: false,
        data: { object: answer.body },
      },
    ])
    expect(await reservedOf(api, id)).toBe(2000)
    expect(await instructionOf(api, answer.body.id)).toEqual({ instruction: 'accepted', number: null })
    expect(await creditsOf(api, answer.body.id)).toEqual(['2000'])
  })

  test('without an amount: the unrefunded rest', async () => {
    const { id } = await succeededIntent(api)
    await createRefund(api, id, '&amount=1')
    expect(await createRefund(api, id)).toEqual(written(id, { amount: 4999 }))
    expect(await reservedOf(api, id)).toBe(5000)
  })

  test.each(['670000001', '%2B237 6 70 00 00 01', '00237-670-000-001'])(
    'a number spelled %s reaches the rail in its one form',
    async (spelling) => {
      const { id } = await succeededIntent(api)
      const form = `payment_intent=${id}&destination[${PUSH_RAIL}][msisdn]=${spelling}`
      const { body } = await api.call({ path: '/v1/refunds', form })
      const [transfer] = await api.mock.control.listTransfers({ limit: 1 })
      expect(transfer).toMatchObject({ msisdn: '237670000001', amount: '5000' })
      expect(await creditsOf(api, body.id)).toEqual(['5000'])
    },
  )

  test('unknown parameters are ignored', async () => {
    const { id } = await succeededIntent(api)
    const more = '&expand[]=charge&fee=12&status=succeeded&currency=EUR&__proto__[x]=1'
    expect(await createRefund(api, id, more)).toEqual(written(id))
  })

  test('a refusal of the rail: pending until it is proven, then failed with an event, and nothing is reserved [§3.5, §6.1]', async () => {
    await refuseAtSubmit()
    const { id } = await succeededIntent(api)
    const refund = await createRefund(api, id, '', 'refusedAtSubmit')
    expect(refund).toEqual(written(id))
    const failed = { ...refund, status: 'failed', failure_reason: 'payee_refused' }
    expect((await readRefund(api, refund.id)).body).toEqual(refund)
    await believeRefusals()
    expect((await readRefund(api, refund.id)).body).toEqual(failed)
    const events = await eventsOf(api, refund.id)
    expect(events.map(({ type, data }) => [type, data.object])).toEqual([
      ['charge.refunded', refund],
      ['charge.refund.updated', failed],
    ])
    expect(await reservedOf(api, id)).toBe(0)
    expect(await instructionOf(api, refund.id)).toEqual({ instruction: 'refused', number: null })
    expect(await creditsOf(api, refund.id)).toEqual([])
    expect((await createRefund(api, id)).amount).toBe(5000)
  })

  test('an empty float is an alert for the operator', async () => {
    await refuseAtSubmit()
    const { id } = await succeededIntent(api)
    const refund = await createRefund(api, id, '', 'floatIsEmpty')
    await believeRefusals()
    expect((await readRefund(api, refund.id)).body).toMatchObject({
      status: 'failed',
      failure_reason: 'rail_misconfigured',
    })
    expect(api.alerts).toContainEqual({
      name: 'rail_misconfigured',
      facts: { rail: PUSH_RAIL, refund: refund.id, rail_code: 'NOT_ENOUGH_FUNDS' },
    })
  })

  test.each<[Payee, string]>([
    ['refusedAtSubmit', 'payee_refused'],
    ['floatIsEmpty', 'rail_misconfigured'],
  ])('a rail that queues the transfer and refuses it then: %s [§3.5]', async (payee, reason) => {
    const { id } = await succeededIntent(api)
    const refund = await createRefund(api, id, '', payee)
    expect(await instructionOf(api, refund.id)).toMatchObject({ instruction: 'accepted' })
    await instruct(api, 120_000)
    expect((await readRefund(api, refund.id)).body).toEqual({
      ...refund,
      status: 'failed',
      failure_reason: reason,
    })
    expect(await eventTypesOf(api, refund.id)).toEqual(['charge.refunded', 'charge.refund.updated'])
    expect(await reservedOf(api, id)).toBe(0)
    expect(await creditsOf(api, refund.id)).toEqual([])
  })

  test.each([
    ['and no answer to the transfer', { kind: 'reset' }],
    ['and a 504 to the transfer, and the failure to the query right after', { kind: 'http', status: 504 }],
  ] as const)(
    'a rail that reports a failure %s, and pays later: an alert, because its amount was released',
    async (_case, answer) => {
      const { id } = await succeededIntent(api)
      await api.mock.control.addFault({ operation: 'transfer', when: 'after', ...answer })
      const refund = await createRefund(api, id, '', 'failsThenPays')
      await instruct(api, 60_000)
      expect((await readRefund(api, refund.id)).body.status).toBe('failed')
      const { mtn } = await api.mock.control.getSettings()
      await api.mock.control.advanceClock(mtn.lateSuccessAfterMs)
      for (let look = 0; look < 5; look += 1) await instruct(api, 60 * 60_000)
      expect(await creditsOf(api, refund.id)).toEqual(['5000'])
      expect(api.alerts).toContainEqual({
        name: 'refund_paid_after_failure',
        facts: { rail: PUSH_RAIL, refund: refund.id },
      })
    },
  )

  test('an unreachable rail: the worker instructs it later [§4.5.1]', async () => {
    const { id } = await succeededIntent(api)
    await api.wire.cut()
    const refund = await createRefund(api, id)
    expect(refund).toEqual(written(id))
    expect(await instructionOf(api, refund.id)).toEqual({ instruction: 'unsent', number: payees.takes })
    expect(await instruct(api)).toMatchObject({ moved: 0 })
    await api.wire.mend()
    expect(await instruct(api)).toMatchObject({ moved: 1 })
    expect(await instructionOf(api, refund.id)).toEqual({ instruction: 'accepted', number: null })
    expect((await readRefund(api, refund.id)).body).toEqual(refund)
    expect(await eventTypesOf(api, refund.id)).toEqual(['charge.refunded'])
    expect(await creditsOf(api, refund.id)).toEqual(['5000'])
  })

  test.each(['before', 'after'] as const)(
    'an answer lost %s the rail acted: the worker finds out, and the payee is credited once',
    async (when) => {
      await api.mock.control.addFault({ operation: 'transfer', kind: 'reset', when })
      const { id } = await succeededIntent(api)
      const refund = await createRefund(api, id)
      expect(refund).toEqual(written(id))
      expect(await instructionOf(api, refund.id)).toMatchObject({ instruction: 'sent' })
      expect(await instruct(api)).toMatchObject({ moved: 1 })
      expect(await instructionOf(api, refund.id)).toEqual({ instruction: 'accepted', number: null })
      expect(await instruct(api)).toMatchObject({ moved: 0 })
      expect(await creditsOf(api, refund.id)).toEqual(['5000'])
    },
  )

  test('a replay is the first answer, byte for byte, whatever has happened to the refund', async () => {
    await refuseAtSubmit()
    const { id } = await succeededIntent(api)
    const call = refundCall(id, '', { key: randomUUID(), payee: 'refusedAtSubmit' })
    const first = await api.call(call)
    expect(first.status).toBe(201)
    expect(await api.call(call)).toReplay(first)
    expect(await refundIdsOf(api, id)).toHaveLength(1)
  })
})

describe('400', () => {
  let paid: string
  beforeAll(async () => {
    paid = (await succeededIntent(api)).id
  })
  const to = `destination[${PUSH_RAIL}][msisdn]=${payees.takes}`

  test.each<[string, () => string, string]>([
    ['no payment intent', () => to, 'payment_intent'],
    ['an empty one', () => `payment_intent=&${to}`, 'payment_intent'],
    ['an ill-formed one', () => `payment_intent=x&${to}`, 'payment_intent'],
    ['an unknown one', () => `payment_intent=pi_0193f2d5e0a07c3e9b1a2b3c4d5e6f70&${to}`, 'payment_intent'],
    ['a charge', () => `charge=ch_1&${refundForm(paid)}`, 'charge'],
    ['a charge before any other fault', () => 'charge=ch_1&amount=0', 'charge'],
    ['no destination', () => `payment_intent=${paid}`, 'destination'],
    ['a destination that is no map', () => `payment_intent=${paid}&destination=237670000001`, 'destination'],
    [
      'two rails',
      () => `${refundForm(paid)}&destination[${EURO_RAIL}][msisdn]=${payees.takes}`,
      'destination',
    ],
    ['an unknown rail', () => `payment_intent=${paid}&destination[other][msisdn]=1`, 'destination'],
    ['__proto__', () => `payment_intent=${paid}&destination[__proto__][msisdn]=1`, 'destination'],
    [
      'another rail than the payment’s',
      () => `payment_intent=${paid}&destination[${EURO_RAIL}][msisdn]=${payees.takes}`,
      'destination',
    ],
    [
      'no number',
      () => `payment_intent=${paid}&destination[${PUSH_RAIL}][msisdn]=`,
      `destination[${PUSH_RAIL}][msisdn]`,
    ],
    [
      'a bad number',
      () => `payment_intent=${paid}&destination[${PUSH_RAIL}][msisdn]=12`,
      `destination[${PUSH_RAIL}][msisdn]`,
    ],
    [
      'a list of numbers',
      () => `payment_intent=${paid}&destination[${PUSH_RAIL}][msisdn][]=${payees.takes}`,
      `destination[${PUSH_RAIL}][msisdn]`,
    ],
    ['an amount of nothing', () => refundForm(paid, '&amount=0'), 'amount'],
    ['a negative amount', () => refundForm(paid, '&amount=-1'), 'amount'],
    ['a fraction', () => refundForm(paid, '&amount=10.5'), 'amount'],
    ['an empty amount', () => refundForm(paid, '&amount='), 'amount'],
    ['more than was paid', () => refundForm(paid, '&amount=5001'), 'amount'],
    ['an unknown reason', () => refundForm(paid, '&reason=other'), 'reason'],
    ['metadata that is no map', () => refundForm(paid, '&metadata=x'), 'metadata'],
  ])('%s is refused by name, and nothing is written', async (_, form, param) => {
    const answer = await api.call({ path: '/v1/refunds', form: form() })
    expect(answer).toBeRefusal('invalid_request', param)
    expect(await refundIdsOf(api, paid)).toEqual([])
    expect(await reservedOf(api, paid)).toBe(0)
  })

  test('a foreign payment intent has the same refusal as an unknown one', async () => {
    const foreign = await api.call(refundCall(paid, '', { merchant: 'globex' }))
    const unknown = await api.call(refundCall('pi_0193f2d5e0a07c3e9b1a2b3c4d5e6f70'))
    expect(foreign).toBeRefusal('invalid_request', 'payment_intent')
    expect(foreign.text).toBe(unknown.text)
  })

  test.each(['pi_0193f2d5e0a07c3e9b1a2b3c4d5e6f70', 'nobody'])(
    'a wrong destination is named before the payment intent %s',
    async (intent) => {
      const form = `payment_intent=${intent}&destination[nowhere][msisdn]=237670000001`
      expect(await api.call({ path: '/v1/refunds', form })).toBeRefusal('invalid_request', 'destination')
    },
  )

  test('more than the unrefunded rest, and anything if it is 0', async () => {
    const { id } = await succeededIntent(api)
    await createRefund(api, id, '&amount=3000')
    expect(await api.call(refundCall(id, '&amount=2001'))).toBeRefusal('invalid_request', 'amount')
    await createRefund(api, id, '&amount=2000')
    for (const more of ['', '&amount=1']) {
      expect(await api.call(refundCall(id, more))).toBeRefusal('invalid_request', 'amount')
    }
  })
})

describe('401', () => {
  test('a disabled client creates no refund, and sees none of its answers', async () => {
    const { id } = await succeededIntent(api)
    const calls = [refundCall(id, '', { key: randomUUID() }), refundCall('pi_x', '', { key: randomUUID() })]
    for (const call of calls) await api.call(call)
    await disableClient(api, 'acme')
    for (const call of [...calls, refundCall(id, '&amount=1')]) {
      expect(await api.call(call)).toBeRefusal('authentication_error')
    }
    await enableClient(api, 'acme')
    expect(await refundIdsOf(api, id)).toHaveLength(1)
  })
})

describe('409', () => {
  test.each([
    ['waits', () => createIntent(api)],
    ['is under way', () => confirmedIntent(api, 'waitsForThePayer')],
    ['is canceled', () => canceledIntent(api)],
  ])('a payment intent that %s is not paid', async (_, intent) => {
    const { id } = await intent()
    const key = randomUUID()
    const first = await api.call(refundCall(id, '', { key }))
    expect(first).toBeRefusal('intent_not_succeeded')
    expect(await api.call(refundCall(id, '', { key }))).toReplay(first)
    expect(await refundIdsOf(api, id)).toEqual([])
  })
})

describe('501', () => {
  async function paidByOrange(): Promise<string> {
    const intent = await orange.call({
      path: '/v1/payment_intents',
      form: `amount=5000&currency=XAF&payment_method_types[0]=${ORANGE_RAIL}`,
    })
    const { id } = intent.body
    const form = `payment_method_data[${ORANGE_RAIL}]=&return_url=${encodeURIComponent('https://shop.example/')}`
    await orange.call({ path: `/v1/payment_intents/${id}/confirm`, form })
    const order = orange.orders.at(-1)
    if (order === undefined) throw new Error('no order')
    order.status = 'SUCCESS'
    await orange.settle()
    return id
  }
  const refund = (id: string, key: string) =>
    orange.call({
      path: '/v1/refunds',
      form: `payment_intent=${id}&destination[${ORANGE_RAIL}][msisdn]=237690000001`,
      key,
    })

  test('a rail without refunds: created, failed, with two events, and nothing is reserved [§4.5.2, §7.2]', async () => {
    const id = await paidByOrange()
    expect(await refund(id, randomUUID())).toBeRefusal('not_supported')
    const [refundId = ''] = await refundIdsOf(api, id)
    const pending = written(id, { destination_details: { type: ORANGE_RAIL } })
    const events = await eventsOf(api, refundId)
    expect(events.map(({ type, data }) => [type, data.object])).toEqual([
      ['charge.refunded', pending],
      ['charge.refund.updated', { ...pending, status: 'failed', failure_reason: 'not_supported' }],
    ])
    expect((await readRefund(api, refundId)).body).toEqual(events[1]?.data.object)
    expect(await reservedOf(api, id)).toBe(0)
    expect(await instructionOf(api, refundId)).toEqual({ instruction: 'refused', number: null })
  })

  test('a repetition has the same answer, and writes and reserves nothing more', async () => {
    const id = await paidByOrange()
    const key = randomUUID()
    for (let n = 0; n < 3; n += 1) {
      const answer = await refund(id, key)
      expect(answer).toBeRefusal('not_supported')
      expect(answer.headers).not.toHaveProperty('idempotent-replayed')
    }
    const ids = await refundIdsOf(api, id)
    expect(ids).toHaveLength(1)
    expect(await eventTypesOf(api, ids[0] ?? '')).toEqual(['charge.refunded', 'charge.refund.updated'])
  })

  test('a number is required there too [§4.2]', async () => {
    const id = await paidByOrange()
    const answer = await orange.call({
      path: '/v1/refunds',
      form: `payment_intent=${id}&destination[${ORANGE_RAIL}][msisdn]=`,
    })
    expect(answer).toBeRefusal('invalid_request', `destination[${ORANGE_RAIL}][msisdn]`)
  })
})

describe('a hundred concurrent refunds', () => {
  const split = (answers: Awaited<ReturnType<typeof api.call>>[]) => ({
    made: answers.filter(({ status }) => status === 201),
    refused: answers.filter(({ status }) => status !== 201),
  })
  const atOnce = (callOf: () => Parameters<typeof api.call>[0]) =>
    Promise.all(Array.from({ length: AT_ONCE }, () => api.call(callOf())))

  test('never exceed what was paid [§2.7]', async () => {
    const { id } = await succeededIntent(api)
    const { made, refused } = split(await atOnce(() => refundCall(id, '&amount=100')))
    expect(made).toHaveLength(50)
    for (const answer of refused) expect(answer).toBeRefusal('invalid_request', 'amount')
    expect(await reservedOf(api, id)).toBe(5000)
    expect(await refundIdsOf(api, id)).toHaveLength(50)
  })

  test('of the whole rest are one', async () => {
    const { id } = await succeededIntent(api)
    const { made, refused } = split(await atOnce(() => refundCall(id)))
    expect(made.map(({ body }) => body.amount)).toEqual([5000])
    for (const answer of refused) expect(answer).toBeRefusal('invalid_request', 'amount')
  })

  test('with one key are one refund, and one answer', async () => {
    const { id } = await succeededIntent(api)
    const key = randomUUID()
    const { made, refused } = split(await atOnce(() => refundCall(id, '&amount=10', { key })))
    expect(new Set(made.map(({ text }) => text)).size).toBe(1)
    for (const answer of refused) {
      expect(answer).toBeRefusal('idempotency_key_in_flight', 'idempotency_key')
    }
    const [refundId = '', ...others] = await refundIdsOf(api, id)
    expect(others).toEqual([])
    expect(await eventTypesOf(api, refundId)).toEqual(['charge.refunded'])
    expect(await creditsOf(api, refundId)).toEqual(['10'])
  })
})

test('no payout of the rail settles a refund, nor its payment [§4.5.1]', async () => {
  const { id } = await succeededIntent(api)
  const refund = await createRefund(api, id)
  await settle(api)
  await instruct(api, 3_600_000)
  expect((await readRefund(api, refund.id)).body).toEqual(refund)
  expect(await eventTypesOf(api, id)).toEqual(['payment_intent.succeeded'])
})
