import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { PUSH_RAIL, settle, startTestApi, type TestAnswer, type TestCall } from '../harness.ts'
import { leaveDuring } from '../raw.ts'
import { chargesOf, chargeStatesOf, eraseCustomer, insertCustomer, until } from '../rows.ts'
import {
  cancelCall,
  canceledIntent,
  confirmCall,
  createCall,
  createIntent,
  eventTypesOf,
  intentForm,
  readIntent,
  withoutSecret,
} from '../steps.ts'
import { operationCalls } from './operations.ts'

const DAY_MS = 24 * 60 * 60 * 1000

// Long enough for a test's checks while a submit is held on the wire.
const api = await startTestApi()
afterAll(() => api.stop())
afterEach(() => api.wire.release())

async function bytesOf({ path, form, key }: TestCall): Promise<string> {
  const lines = [
    `POST ${path} HTTP/1.1`,
    'Host: a',
    `Authorization: Bearer ${await api.tokenFor('acme')}`,
    `Idempotency-Key: ${key}`,
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${form?.length}`,
  ]
  return `${lines.join('\r\n')}\r\n\r\n${String(form)}`
}

const countOf = async (merchant = 'acme') =>
  (await api.call({ path: '/v1/payment_intents?limit=100', merchant })).body.data.length

/** Operations that take an Idempotency-Key (spec 4). */
const keyed = operationCalls.filter(([, { method }]) => method === 'POST' || method === 'PATCH')

describe('a key', () => {
  test.each([
    ['one byte', 'k'],
    ['255 bytes', 'k'.repeat(255)],
    [
      'every printable byte',
      Array.from({ length: 95 }, (_, n) => String.fromCodePoint(0x20 + n))
        .join('')
        .trim(),
    ],
    ['a space within', 'a b'],
    ['a comma within', 'a, b'],
    ['SQL', "'; delete from idempotency_keys; --"],
  ])('of %s is accepted [§8]', async (_, key) => {
    const first = await api.call(createCall(intentForm, { key }))
    expect(first).toMatchObject({ status: 201 })
    expect(await api.call(createCall(intentForm, { key }))).toReplay(first)
  })

  test.each([
    ['that is missing', null],
    ['that is empty', ''],
    ['of spaces only', '   '],
    ['of 256 bytes', 'k'.repeat(256)],
    ['with a tab', 'a\tb'],
    ['with a byte beyond ASCII', 'caf\u00e9'],
    ['with a control byte beyond ASCII', 'a\u0080'],
  ])(
    '%s is refused on every POST and PATCH, before any parameter is judged [§4, §7.2, §8]',
    async (_, key) => {
      const { id } = await createIntent(api)
      for (const call of [
        ...keyed.map(([, one]) => ({ ...one, key })),
        createCall('amount=x', { key }),
        confirmCall(id, undefined, { key }),
        cancelCall(id, { key }),
      ]) {
        expect(await api.call(call)).toBeRefusal('invalid_request', 'idempotency_key')
      }
      expect((await readIntent(api, id)).body.status).toBe('requires_payment_method')
    },
  )

  test.each([
    ['twice', ['order-42', 'order-42']],
    ['as two', ['order-42', 'order-43']],
  ])('that is sent %s is refused, because a retry may send one of them [§8]', async (_, sent) => {
    for (const [, call] of keyed) {
      const answer = await api.call({ ...call, key: null, headers: { 'idempotency-key': sent } })
      expect(answer).toBeRefusal('invalid_request', 'idempotency_key')
    }
  })

  test('on a GET is ignored, whatever it is', async () => {
    const key = randomUUID()
    const { id } = await createIntent(api, '', { key })
    for (const sent of [key, 'k'.repeat(300), '']) {
      const answer = await api.call({ path: `/v1/payment_intents/${id}`, key: sent })
      expect({ status: answer.status, id: answer.body.id }).toEqual({ status: 200, id })
    }
  })

  test('is compared as sent: a space or another letter case makes another key', async () => {
    const key = randomUUID()
    const ids = new Set<string>()
    for (const sent of [key, key.toUpperCase(), `${key} x`, `${key}  x`]) {
      ids.add((await createIntent(api, '', { key: sent })).id)
    }
    expect(ids.size).toBe(4)
  })

  test('belongs to its merchant [§8]', async () => {
    const key = randomUUID()
    const [ours, theirs] = [
      await createIntent(api, '', { key }),
      await createIntent(api, '&metadata[a]=b', { key, merchant: 'globex' }),
    ]
    expect(theirs.id).not.toBe(ours.id)
  })
})

describe('the same request again', () => {
  test('replays a creation and creates nothing [§8]', async () => {
    const key = randomUUID()
    const merchant = 'replays'
    const first = await api.call(createCall(intentForm, { key, merchant }))
    for (let n = 0; n < 3; n += 1) {
      expect(await api.call(createCall(intentForm, { key, merchant }))).toReplay(first)
    }
    expect(await countOf(merchant)).toBe(1)
  })

  test('replays the stored answer, also after the intent has changed', async () => {
    const [createKey, confirmKey] = [randomUUID(), randomUUID()]
    const created = await api.call(createCall(intentForm, { key: createKey }))
    const { id } = created.body
    const confirmed = await api.call(confirmCall(id, undefined, { key: confirmKey }))
    await settle(api)
    expect((await readIntent(api, id)).body.status).toBe('succeeded')
    expect(await api.call(createCall(intentForm, { key: createKey }))).toReplay(created)
    expect(await api.call(confirmCall(id, undefined, { key: confirmKey }))).toReplay(confirmed)
    expect(await chargesOf(api, id)).toHaveLength(1)
  })

  test('replays a cancellation, without a second event', async () => {
    const { id } = await createIntent(api)
    const key = randomUUID()
    const first = await api.call(cancelCall(id, { key }))
    expect(await api.call(cancelCall(id, { key }))).toReplay(first)
    expect(await eventTypesOf(api, id)).toEqual(['payment_intent.canceled'])
  })

  test('replays a decline of the submit without a call to the rail', async () => {
    await api.mock.control.updateSettings({ mtn: { refusalsAt: 'submit' } })
    const { id } = await createIntent(api)
    const key = randomUUID()
    const call = {
      path: `/v1/payment_intents/${id}/confirm`,
      form: `payment_method_data[${PUSH_RAIL}][msisdn]=237670000455`,
      key,
    }
    const first = await api.call(call)
    expect(first.body.last_payment_error).toMatchObject({ code: 'payer_not_found' })
    await api.mock.control.updateSettings({ mtn: { refusalsAt: 'status' } })
    expect(await api.call(call)).toReplay(first)
    expect(await chargesOf(api, id)).toHaveLength(1)
  })

  test.each([
    ['a refused parameter', async () => createCall('amount=x')],
    ['a body that is no form', async () => createCall('a]=1')],
    ['a broken escape', async () => createCall('amount=%zz')],
    ['an unknown intent', async () => confirmCall('pi_0193f2d5e0a07c3e9b1a2b3c4d5e6f70')],
    ['an ill-formed id', async () => cancelCall('x')],
    ['a conflict', async () => confirmCall((await canceledIntent(api)).id)],
    [
      'a refused number',
      async () => ({ ...confirmCall((await createIntent(api)).id), form: 'payment_method_data[a][b]=1' }),
    ],
  ])('replays a refusal: %s [§7.2]', async (_, prepare) => {
    const call = { ...(await prepare()), key: randomUUID() }
    const first = await api.call(call)
    expect([400, 404, 409]).toContain(first.status)
    expect(await api.call(call)).toReplay(first)
    expect(await api.call(call)).toReplay(first)
  })

  test('replays a 409 after its cause has gone', async () => {
    const { id } = await createIntent(api)
    await api.call(confirmCall(id, 'waitsForThePayer'))
    const key = randomUUID()
    const first = await api.call(confirmCall(id, undefined, { key }))
    expect(first).toBeRefusal('charge_in_progress')
    const [charge] = await chargesOf(api, id)
    await api.mock.control.refuseCharge(charge?.reference ?? '')
    await settle(api)
    expect(await api.call(confirmCall(id, undefined, { key }))).toReplay(first)
    expect((await api.call(confirmCall(id))).status).toBe(200)
  })

  test('replays processing after a decline: only another key charges again', async () => {
    const { id } = await createIntent(api)
    const key = randomUUID()
    const first = await api.call(confirmCall(id, 'declines', { key }))
    expect(first.body.status).toBe('processing')
    await settle(api)
    expect(await api.call(confirmCall(id, 'declines', { key }))).toReplay(first)
    expect((await readIntent(api, id)).body.status).toBe('requires_payment_method')
    expect(await chargesOf(api, id)).toHaveLength(1)
    expect((await api.call(confirmCall(id, 'approves'))).body.status).toBe('processing')
    expect(await chargesOf(api, id)).toHaveLength(2)
  })

  test('replays after the rail left the deployment, which refuses new requests for it [§8]', async () => {
    const { id } = await createIntent(api)
    const calls = [
      createCall(intentForm, { key: randomUUID() }),
      createCall('amount=x', { key: randomUUID() }),
      confirmCall(id, undefined, { key: randomUUID() }),
      confirmCall('x', undefined, { key: randomUUID() }),
    ]
    const firsts: TestAnswer[] = []
    for (const call of calls) firsts.push(await api.call(call))
    const later = await api.deploy(new Map())
    for (const [n, call] of calls.entries()) expect(await later.call(call)).toReplay(firsts[n] as TestAnswer)
    expect(await later.call(createCall())).toBeRefusal('invalid_request', 'payment_method_types[0]')
    const fresh = await createIntent(api)
    const refused = await later.call(confirmCall(fresh.id))
    expect(refused).toBeRefusal('invalid_request', refused.body.error.param)
    expect((await later.call({ path: `/v1/payment_intents/${id}` })).body.id).toBe(id)
  })

  test('ignores the query string: the fingerprint covers method, path and body', async () => {
    const key = randomUUID()
    const first = await api.call(createCall(intentForm, { key }))
    expect(await api.call({ path: '/v1/payment_intents?expand[]=a', form: intentForm, key })).toReplay(first)
  })
})

describe('another request with a used key [§8]', () => {
  test.each([
    ['another amount', createCall(intentForm.replace('5000', '5001'))],
    ['one byte more', createCall(`${intentForm}&`)],
    ['another order', createCall(`currency=XAF&amount=5000&payment_method_types[0]=${PUSH_RAIL}`)],
    ['another spelling', createCall(intentForm.replace('[0]', '%5B0%5D'))],
    ['no body', createCall('')],
    ['another path', cancelCall('pi_0193f2d5e0a07c3e9b1a2b3c4d5e6f70', { form: intentForm })],
    ['faulty parameters', createCall('amount=x')],
  ])('%s is refused, and the stored answer stays [§7.2]', async (_, other) => {
    const key = randomUUID()
    const first = await api.call(createCall(intentForm, { key }))
    expect(await api.call({ ...other, key })).toBeRefusal('idempotency_key_in_use', 'idempotency_key')
    expect(await api.call(createCall(intentForm, { key }))).toReplay(first)
  })

  test('a stored refusal also blocks its key for other requests', async () => {
    const key = randomUUID()
    expect(await api.call(createCall('amount=x', { key }))).toBeRefusal('invalid_request', 'amount')
    expect(await api.call(createCall(intentForm, { key }))).toBeRefusal(
      'idempotency_key_in_use',
      'idempotency_key',
    )
  })

  test('confirms of two intents with one key: the second is refused', async () => {
    const [one, two] = [await createIntent(api), await createIntent(api)]
    const key = randomUUID()
    await api.call(confirmCall(one.id, undefined, { key }))
    expect(await api.call(confirmCall(two.id, undefined, { key }))).toBeRefusal(
      'idempotency_key_in_use',
      'idempotency_key',
    )
    expect(await chargesOf(api, two.id)).toEqual([])
  })
})

describe('answers that are not stored', () => {
  test.each([
    ['no token', { token: null }, 'authentication_error'],
    ['a JSON body', { headers: { 'content-type': 'application/json' } }, 'invalid_request'],
    ['no such route', { path: '/v1/charges' }, 'unknown_route'],
  ] as const)('%s leaves the key unused', async (_, change, code) => {
    const key = randomUUID()
    expect(await api.call({ ...createCall(intentForm, { key }), ...change })).toBeRefusal(code)
    const answer = await api.call(createCall(`${intentForm}&metadata[a]=b`, { key }))
    expect(answer).toMatchObject({ status: 201 })
    expect(answer.headers).not.toHaveProperty('idempotent-replayed')
  })

  test('a 403, a 405 and a 413 leave the key unused', async () => {
    const key = randomUUID()
    const token = await api.tokenFor('acme', ['payments:read'])
    expect(await api.call(createCall(intentForm, { key, token }))).toBeRefusal('forbidden')
    expect((await api.call({ method: 'PUT', path: '/v1/payment_intents', form: 'a=b', key })).status).toBe(
      405,
    )
    expect((await api.call(createCall(`a=${'x'.repeat(65_536)}`, { key }))).status).toBe(413)
    expect((await api.call(createCall(intentForm, { key }))).status).toBe(201)
  })
})

describe('a key’s age', () => {
  test('it is replayed for 24 hours, and then unused again [§8]', async () => {
    const key = randomUUID()
    const first = await api.call(createCall(intentForm, { key }))
    api.advance(DAY_MS - 60_000)
    expect(await api.call(createCall(intentForm, { key }))).toReplay(first)
    api.advance(60_001)
    const fresh = await api.call(createCall(`${intentForm}&metadata[a]=b`, { key }))
    expect(fresh).toMatchObject({ status: 201 })
    expect(fresh.body.id).not.toBe(first.body.id)
    expect(await api.call(createCall(`${intentForm}&metadata[a]=b`, { key }))).toReplay(fresh)
  })

  test('a confirm’s key is unused again after 24 hours, and a request then gets the intent’s current state', async () => {
    const { id } = await createIntent(api)
    const key = randomUUID()
    expect((await api.call(confirmCall(id, 'waitsForThePayer', { key }))).status).toBe(200)
    api.advance(DAY_MS + 1)
    expect(await api.call(confirmCall(id, 'waitsForThePayer', { key }))).toBeRefusal('charge_in_progress')
  })
})

describe('while the first request runs [§8]', () => {
  test('the same request is in flight, another one is refused, and then the first answer is replayed [§7.2]', async () => {
    const { id } = await createIntent(api)
    const key = randomUUID()
    api.wire.hold()
    const running = api.call(confirmCall(id, 'waitsForThePayer', { key }))
    await api.wire.held()
    expect(await api.call(confirmCall(id, 'waitsForThePayer', { key }))).toBeRefusal(
      'idempotency_key_in_flight',
      'idempotency_key',
    )
    expect(await api.call(confirmCall(id, 'declines', { key }))).toBeRefusal(
      'idempotency_key_in_use',
      'idempotency_key',
    )
    expect(await api.call(createCall(intentForm, { key }))).toBeRefusal(
      'idempotency_key_in_use',
      'idempotency_key',
    )
    expect(await api.call(createCall('amount=x', { key }))).toBeRefusal(
      'idempotency_key_in_use',
      'idempotency_key',
    )
    expect(await api.call(confirmCall(id, 'waitsForThePayer'))).toBeRefusal('charge_in_progress')
    api.wire.release()
    const first = await running
    expect(first.body).toMatchObject({ id, status: 'processing' })
    expect(await api.call(confirmCall(id, 'waitsForThePayer', { key }))).toReplay(first)
    expect(await chargesOf(api, id)).toHaveLength(1)
  })

  test('another process of the service sees it too', async () => {
    const other = await api.deploy(api.rails)
    const { id } = await createIntent(api)
    const key = randomUUID()
    api.wire.hold()
    const running = api.call(confirmCall(id, 'waitsForThePayer', { key }))
    await api.wire.held()
    const again = await other.call(confirmCall(id, 'waitsForThePayer', { key }))
    expect(again).toBeRefusal('idempotency_key_in_flight', 'idempotency_key')
    expect(await other.call(confirmCall(id))).toBeRefusal('charge_in_progress')
    api.wire.release()
    const first = await running
    expect(await other.call(confirmCall(id, 'waitsForThePayer', { key }))).toReplay(first)
  })

  test('a client that disconnects finds its answer under the key', async () => {
    const { id } = await createIntent(api)
    const key = randomUUID()
    const call = confirmCall(id, 'waitsForThePayer', { key })
    api.wire.hold()
    await leaveDuring(api.origin, await bytesOf(call), () => api.wire.held())
    api.wire.release()
    await until(async () => (await readIntent(api, id)).body.status === 'processing')
    const answer = await api.call(call)
    expect(answer).toMatchObject({ status: 200, body: { id, status: 'processing' } })
    expect(answer.headers['idempotent-replayed']).toBe('true')
    expect(await chargeStatesOf(api, id)).toEqual(['live'])
  })

  test('a cancellation during the submit wins: the confirm returns the canceled intent', async () => {
    const created = await createIntent(api)
    const key = randomUUID()
    api.wire.hold()
    const running = api.call(confirmCall(created.id, 'waitsForThePayer', { key }))
    await api.wire.held()
    const canceled = await api.call(cancelCall(created.id))
    expect(canceled.body.status).toBe('canceled')
    api.wire.release()
    const answer = await running
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: canceled.body })
    expect(withoutSecret((await readIntent(api, created.id)).body)).toEqual(canceled.body)
    expect(await chargeStatesOf(api, created.id)).toEqual(['live'])
    expect(await eventTypesOf(api, created.id)).toEqual(['payment_intent.canceled'])
    expect(await api.call(confirmCall(created.id, 'waitsForThePayer', { key }))).toReplay(answer)
  })

  test('a cancellation during a submit that is declined: the charge has failed, and no event is written', async () => {
    await api.mock.control.updateSettings({ mtn: { refusalsAt: 'submit' } })
    const { id } = await createIntent(api)
    api.wire.hold()
    const running = api.call({
      path: `/v1/payment_intents/${id}/confirm`,
      form: `payment_method_data[${PUSH_RAIL}][msisdn]=237670000455`,
    })
    await api.wire.held()
    const canceled = await api.call(cancelCall(id))
    api.wire.release()
    const answer = await running
    await api.mock.control.updateSettings({ mtn: { refusalsAt: 'status' } })
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: canceled.body })
    expect(await chargeStatesOf(api, id)).toEqual(['failed'])
    expect(await eventTypesOf(api, id)).toEqual(['payment_intent.canceled'])
  })
})

describe('after a 502 the key is released, and the same request continues [§3.1.3, §8]', () => {
  test('unknown to the rail: 409, because the charge is being resolved', async () => {
    const { id } = await createIntent(api)
    const key = randomUUID()
    expect(await api.call(confirmCall(id, 'acceptedThenReset', { key }))).toBeRefusal('provider_unavailable')
    const retry = await api.call(confirmCall(id, 'acceptedThenReset', { key }))
    expect(retry).toBeRefusal('charge_in_progress')
    expect(retry.headers).not.toHaveProperty('idempotent-replayed')
    expect(await chargesOf(api, id)).toHaveLength(1)
  })

  test('never sent: another charge', async () => {
    const { id } = await createIntent(api)
    const key = randomUUID()
    await api.wire.cut()
    expect(await api.call(confirmCall(id, undefined, { key }))).toBeRefusal('provider_unavailable')
    expect(await api.call(confirmCall(id, undefined, { key }))).toBeRefusal('provider_unavailable')
    await api.wire.mend()
    const retry = await api.call(confirmCall(id, undefined, { key }))
    expect(retry.body).toMatchObject({ id, status: 'processing' })
    expect(await chargeStatesOf(api, id)).toEqual(['abandoned', 'abandoned', 'live'])
    expect(await api.call(confirmCall(id, undefined, { key }))).toReplay(retry)
  })

  test('failed meanwhile: 200 with the intent, and no other charge', async () => {
    const { id } = await createIntent(api)
    const key = randomUUID()
    expect(await api.call(confirmCall(id, 'resetUnaccepted', { key }))).toBeRefusal('provider_unavailable')
    for (let pass = 0; pass < 6; pass += 1) await settle(api)
    expect(await chargeStatesOf(api, id)).toEqual(['failed'])
    const retry = await api.call(confirmCall(id, 'resetUnaccepted', { key }))
    expect({ status: retry.status, body: retry.body }).toEqual({
      status: 200,
      body: withoutSecret((await readIntent(api, id)).body),
    })
    expect(retry.body.last_payment_error).toMatchObject({ code: 'not_accepted' })
    expect(await chargesOf(api, id)).toHaveLength(1)
    expect(await api.call(confirmCall(id, 'resetUnaccepted', { key }))).toReplay(retry)
  })

  test('paid meanwhile: 409 while it is resolved, then 200 with the intent', async () => {
    const { id } = await createIntent(api)
    const key = randomUUID()
    expect(await api.call(confirmCall(id, 'acceptedThenReset', { key }))).toBeRefusal('provider_unavailable')
    expect(await api.call(confirmCall(id, 'acceptedThenReset', { key }))).toBeRefusal('charge_in_progress')
    await settle(api)
    expect(await chargeStatesOf(api, id)).toEqual(['succeeded'])
    const retry = await api.call(confirmCall(id, 'acceptedThenReset', { key }))
    expect({ status: retry.status, body: retry.body }).toEqual({
      status: 200,
      body: withoutSecret((await readIntent(api, id)).body),
    })
    expect(retry.body.status).toBe('succeeded')
    expect(await chargesOf(api, id)).toHaveLength(1)
    expect(await api.call(confirmCall(id, 'acceptedThenReset', { key }))).toReplay(retry)
  })

  test('canceled meanwhile: 409', async () => {
    const { id } = await createIntent(api)
    const key = randomUUID()
    await api.wire.cut()
    await api.call(confirmCall(id, undefined, { key }))
    await api.wire.mend()
    await api.call(cancelCall(id))
    expect(await api.call(confirmCall(id, undefined, { key }))).toBeRefusal('intent_canceled')
  })

  test('a customer erased meanwhile: 409, and no other charge', async () => {
    const customer = await insertCustomer(api)
    const { id } = await createIntent(api, `&customer=${customer}`)
    const key = randomUUID()
    await api.wire.cut()
    await api.call(confirmCall(id, undefined, { key }))
    await api.wire.mend()
    await eraseCustomer(api, customer)
    expect(await api.call(confirmCall(id, undefined, { key }))).toBeRefusal('customer_erased')
    expect(await chargeStatesOf(api, id)).toEqual(['abandoned'])
  })

  test('refused meanwhile, then confirmed with another key: the new charge clears the error', async () => {
    const created = await createIntent(api)
    const key = randomUUID()
    await api.wire.cut()
    await api.call(confirmCall(created.id, undefined, { key }))
    await api.wire.mend()
    await api.call(confirmCall(created.id, 'declines'))
    await settle(api)
    const retry = await api.call(confirmCall(created.id, undefined, { key }))
    expect({ status: retry.status, body: retry.body }).toEqual({
      status: 200,
      body: { ...withoutSecret(created), status: 'processing' },
    })
    expect(await chargeStatesOf(api, created.id)).toEqual(['abandoned', 'failed', 'live'])
  })

  test('another request cannot use the released key', async () => {
    const { id } = await createIntent(api)
    const key = randomUUID()
    await api.wire.cut()
    await api.call(confirmCall(id, undefined, { key }))
    await api.wire.mend()
    expect(await api.call(confirmCall(id, 'declines', { key }))).toBeRefusal(
      'idempotency_key_in_use',
      'idempotency_key',
    )
    expect((await api.call(confirmCall(id, undefined, { key }))).status).toBe(200)
  })
})
