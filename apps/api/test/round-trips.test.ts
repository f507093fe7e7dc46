import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { actionCall, draftInvoice, itemCall, openInvoice } from './bills.ts'
import { type CountedDatabase, countRoundTrips } from './counted-database.ts'
import { createCustomerCall, deleteCustomerCall, updateCustomerCall } from './customer-steps.ts'
import { PUSH_RAIL, startTestApi, type TestApi, type TestCall } from './harness.ts'
import { anyRefund, cancelRefundCall, refundCall, updateCall } from './refunds.ts'
import { insertCustomer } from './rows.ts'
import { adoptCall, createSessionCall, expireCall } from './sessions.ts'
import { cancelCall, confirmCall, createCall, createIntent, intentForm, succeededIntent } from './steps.ts'
import { prefixOf } from './fuzz/targets.ts'
import { idMakers } from './v1/id-makers.ts'
import { operations } from './v1/operations.ts'

let api: TestApi
let database: CountedDatabase
/** Whether the process knows which requests it has answered. Another one does not. */
let remembers = true
beforeAll(async () => {
  api = await startTestApi({
    // The periodic read of the signing keys is not part of a request.
    clock: 'still',
    remembersRequests: () => remembers,
    databaseBy: async (url) => {
      database = await countRoundTrips(url)
      return database.url
    },
  })
  // The first call verifies the token, which reads the signing keys.
  await api.call({ path: '/v1/customers' })
})
afterAll(async () => {
  await api.stop()
  await database.close()
})

async function tripsOf(call: TestCall, status: number): Promise<number> {
  const before = database.roundTrips()
  expect(await api.call(call)).toMatchObject({ status })
  return database.roundTrips() - before
}

const UNKNOWN = '0193f2d5e0a07c3e9b1a2b3c4d5e6f70'

const reads = operations.filter(({ method }) => method === 'GET')
const retrieves = reads.filter(({ path }) => path.endsWith('{id}'))

describe('a read is one round trip to the database:', () => {
  test.each(retrieves.map((operation) => [operation.id, operation] as const))('%s', async (_, operation) => {
    const id = await idMakers[prefixOf(operation) ?? '']?.(api, 'acme')
    expect(await tripsOf({ path: operation.path.replace('{id}', id ?? '') }, 200)).toBe(1)
  })

  test.each([
    'payment_intents',
    'payment_intents?limit=100',
    'customers',
    'checkout/sessions',
    `checkout/sessions?status=open&customer=cus_${UNKNOWN}&payment_intent=pi_${UNKNOWN}&created[gte]=1`,
    'invoices',
    `invoices?status=open&customer=cus_${UNKNOWN}&created[gte]=1`,
    'refunds',
    `refunds?payment_intent=pi_${UNKNOWN}&created[gte]=1`,
    'events',
    'events?type=invoice.*&created[gte]=1',
    `account_holders?payment_method_type=${PUSH_RAIL}&msisdn=237670000001`,
  ])('GET /v1/%s', async (path) => {
    expect(await tripsOf({ path: `/v1/${path}` }, 200)).toBe(1)
  })

  test.each(retrieves.map((operation) => [operation.id, operation] as const))(
    '%s, and of a miss another that asks whether the client is disabled',
    async (_, operation) => {
      const path = operation.path.replace('{id}', `${prefixOf(operation)}_${UNKNOWN}`)
      expect(await tripsOf({ path }, 404)).toBe(2)
    },
  )
})

interface Write {
  /** Round trips until the first answer. A call to a rail is between two of them. */
  readonly fresh: number
  /** Round trips until the replay by a process that has not answered the request before. It claims the key first. */
  readonly replayed: number
  readonly status?: number
  readonly call: () => TestCall | Promise<TestCall>
}

const customer = () => insertCustomer(api)
const intent = async () => (await createIntent(api)).id
const session = async () => (await idMakers['cs']?.(api, 'acme')) ?? ''
const item = async () => (await idMakers['ii']?.(api, 'acme')) ?? ''
const draft = async () => (await draftInvoice(api)).id
const billed = async (id: string) => {
  await api.call(itemCall(id))
  return id
}
const form = (path: string, text: string): TestCall => ({ method: 'POST', path, form: text })

/** A write that needs only its parameters is one statement. A change of a row reads it first. */
const writes: Readonly<Record<string, Write>> = {
  'paymentIntents.create': { fresh: 1, replayed: 1, status: 201, call: () => createCall() },
  'paymentIntents.create, for a customer': {
    fresh: 1,
    replayed: 1,
    status: 201,
    call: async () => createCall(`${intentForm}&customer=${await customer()}`),
  },
  'paymentIntents.confirm': { fresh: 2, replayed: 2, call: async () => confirmCall(await intent()) },
  'paymentIntents.cancel': { fresh: 2, replayed: 3, call: async () => cancelCall(await intent()) },
  'checkout.sessions.create': { fresh: 1, replayed: 1, call: () => createSessionCall() },
  'checkout.sessions.create, of an intent': {
    fresh: 2,
    replayed: 3,
    call: async () => adoptCall(await intent()),
  },
  'checkout.sessions.expire': { fresh: 2, replayed: 3, call: async () => expireCall(await session()) },
  'customers.create': { fresh: 1, replayed: 1, call: () => createCustomerCall('name=Awa') },
  'customers.update': {
    fresh: 2,
    replayed: 3,
    call: async () => updateCustomerCall(await customer(), 'name=Ada'),
  },
  'invoices.create': {
    fresh: 1,
    replayed: 1,
    call: async () => form('/v1/invoices', `currency=XAF&customer=${await customer()}`),
  },
  'invoices.update': {
    fresh: 2,
    replayed: 3,
    call: async () => form(`/v1/invoices/${await draft()}`, 'description=May'),
  },
  'invoices.finalizeInvoice': {
    fresh: 2,
    replayed: 3,
    call: async () => actionCall(await billed(await draft()), 'finalize'),
  },
  'invoices.voidInvoice': {
    fresh: 2,
    replayed: 3,
    call: async () => actionCall((await openInvoice(api)).id, 'void'),
  },
  'invoices.markUncollectible': {
    fresh: 2,
    replayed: 3,
    call: async () => actionCall((await openInvoice(api)).id, 'mark_uncollectible'),
  },
  'invoices.pay': { fresh: 2, replayed: 3, call: async () => actionCall((await openInvoice(api)).id, 'pay') },
  // Its answer shows the invoice's customer and currency.
  'invoiceItems.create': { fresh: 2, replayed: 3, call: async () => itemCall(await draft()) },
  'invoiceItems.update': {
    fresh: 2,
    replayed: 3,
    call: async () => form(`/v1/invoice_items/${await item()}`, 'amount=3'),
  },
  'refunds.create': {
    fresh: 3,
    replayed: 2,
    status: 201,
    call: async () => refundCall((await succeededIntent(api)).id),
  },
  'refunds.update': {
    fresh: 2,
    replayed: 3,
    call: async () => updateCall((await anyRefund(api)).id, 'metadata[a]=b'),
  },
  'refunds.cancel': {
    fresh: 3,
    replayed: 3,
    status: 409,
    call: async () => cancelRefundCall((await anyRefund(api)).id),
  },
}

describe('a write has a fixed number of round trips, and its replay by the same process has one', () => {
  afterEach(() => {
    remembers = true
  })

  test.each(Object.entries(writes))('%s', async (name, { fresh, replayed, status = 200, call }) => {
    const request = { ...(await call()), key: name }
    expect(await tripsOf(request, status)).toBe(fresh)
    expect(await tripsOf(request, status)).toBe(1)
    remembers = false
    expect(await tripsOf(request, status)).toBe(replayed)
  })

  test('invoices.del, invoiceItems.del: one', async () => {
    expect(await tripsOf({ method: 'DELETE', path: `/v1/invoices/${await draft()}` }, 200)).toBe(1)
    expect(await tripsOf({ method: 'DELETE', path: `/v1/invoice_items/${await item()}` }, 200)).toBe(1)
  })

  test('customers.del: the start, one for each place that may hold a copy, and two for events', async () => {
    expect(await tripsOf(deleteCustomerCall(await customer()), 200)).toBe(19)
  })

  test('each write of the contract is counted', () => {
    const counted = Object.keys(writes).map((name) => name.replace(/,.*/, ''))
    const declared = operations.filter(({ method }) => method !== 'GET').map(({ id }) => id)
    const removals = ['customers.del', 'invoices.del', 'invoiceItems.del']
    expect([...new Set(counted), ...removals].toSorted()).toEqual([...new Set(declared)].toSorted())
  })
})
