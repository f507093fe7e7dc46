import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { confirmInBrowser, readInBrowser } from './browser/calls.ts'
import { createCustomer } from './customer-steps.ts'
import { startTestApi } from './harness.ts'
import { refundCall } from './refunds.ts'
import { disableClient, enableClient } from './rows.ts'
import { createCall, confirmCall, createIntent, succeededIntent } from './steps.ts'
import { operationCalls } from './v1/operations.ts'

const api = await startTestApi()
afterAll(() => api.stop())

type State = 'draining' | 'frozen' | 'left' | 'arriving'

const put = (state: State) =>
  api.owner.transact((tx) =>
    tx
      .insertInto('merchant_moves')
      .values({ merchant_id: 'acme', state, move_id: randomUUID(), other_cell: 'cell_b' })
      .execute(),
  )
const takeAway = () => api.owner.transact((tx) => tx.deleteFrom('merchant_moves').execute())
afterEach(takeAway)

describe.each(['draining', 'frozen'] as const)(
  'a merchant that is %s on its way to another cell',
  (state) => {
    test('gets an answer to retry for each write, before any work, and reads on', async () => {
      const open = await createIntent(api)
      const paid = await succeededIntent(api)
      await put(state)
      const create = createCall()
      for (const call of [create, confirmCall(open.id), refundCall(paid.id)]) {
        expect(await api.call(call)).toBeRefusal('service_unavailable')
      }
      expect(await api.call(confirmInBrowser(open.id, open.client_secret))).toBeRefusal('service_unavailable')
      for (const id of [open.id, paid.id]) {
        expect((await api.call({ path: `/v1/payment_intents/${id}` })).status).toBe(200)
      }
      expect((await api.call({ path: '/v1/events' })).status).toBe(200)
      expect((await api.call(readInBrowser(open.id, open.client_secret))).status).toBe(200)
      expect(await api.call({ path: '/v1/payment_intents/x' })).toBeRefusal('resource_missing')
      await takeAway()
      // The key of the refused request was never claimed.
      const answer = await api.call(create)
      expect([answer.status, answer.headers['idempotent-replayed']]).toEqual([201, undefined])
    })

    test('other merchants write on', async () => {
      await put(state)
      expect((await api.call(createCall(undefined, { merchant: 'globex' }))).status).toBe(201)
    })
  },
)

describe.each(['left', 'arriving'] as const)('a merchant that is %s', (state) => {
  test('gets an answer to retry for every request, and never that something is missing', async () => {
    const { id, client_secret: secret } = await createIntent(api)
    const { id: customer } = await createCustomer(api)
    await put(state)
    for (const [name, call] of operationCalls) {
      const answer = await api.call(call)
      expect([name, answer.status]).toEqual([name, 503])
      expect(answer.headers['compat-should-retry']).toBe('true')
    }
    for (const path of [`/v1/payment_intents/${id}`, `/v1/customers/${customer}`, '/v1/events']) {
      expect(await api.call({ path })).toBeRefusal('service_unavailable')
    }
    for (const call of [readInBrowser(id, secret), confirmInBrowser(id, secret)]) {
      expect(await api.call(call)).toBeRefusal('service_unavailable')
    }
  })

  test('is refused as disabled, if it is that too', async () => {
    await put(state)
    await disableClient(api, 'acme')
    expect(await api.call(createCall())).toBeRefusal('authentication_error')
    await enableClient(api, 'acme')
  })
})
