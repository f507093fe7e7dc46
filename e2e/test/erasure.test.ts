import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { createMerchantPayments, type Customer, type MerchantPayments } from '@merchant-payments/node-sdk'
import { type Stack, startStack } from '@merchant-payments/stack'
import { cloneDatabase, type TestDatabase } from '@merchant-payments/testing'
import { dumpDatabase } from '@merchant-payments/testing/dump'
import { endErasureLeases } from '@merchant-payments/testing/operator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endOf } from './kill.ts'

const DRAIN_STEPS_MAX = 300
const DRAIN_STEP_MS = 100
const YEAR_MS = 366 * 24 * 60 * 60_000

let database: TestDatabase
let stack: Stack
let payments: MerchantPayments
/** The log output of api and worker. */
const logged: string[] = []

beforeAll(async () => {
  database = await cloneDatabase()
  stack = await startStack({
    databaseUrl: database.url,
    mockRailsSettings: { mtn: { autoApproveAfterMs: 50 } },
    log: (_source, line) => logged.push(line),
  })
  stack.webhook?.receiver.program([], { echo: true })
  payments = createMerchantPayments({
    baseUrl: stack.baseUrl,
    clientId: stack.clientId,
    privateKey: await readFile(stack.privateKeyFile, 'utf8'),
  })
})
afterAll(async () => {
  await stack?.stop()
  await database?.drop()
})

/** Nine identifiers and two coordinates that occur nowhere else, and the number of a payer whom the rail names. */
const person = (n: number) => ({
  name: `Zoulikha Markername${n}`,
  email: `marker${n}@nowhere.example`,
  phone: `23767712${n}479`,
  address: {
    line1: `Markerline one ${n}`,
    line2: `Markerline two ${n}`,
    city: `Markercity${n}`,
    state: `Markerstate${n}`,
    postal_code: `MARKER-BP-${n}`,
    country: 'QX',
    latitude_microdeg: 31_415_926 + n,
    longitude_microdeg: 27_182_818 + n,
  },
})

const markersOf = (n: number): RegExp[] => {
  const { address, ...known } = person(n)
  return [...Object.values(known), ...Object.values(address)].map((value) =>
    // A short identifier counts only as a whole word.
    value === 'QX' ? /(?<![\w-])QX(?![\w-])/ : new RegExp(String(value)),
  )
}

/** Finds every place that contains one of a person's identifiers. */
async function placesOf(n: number): Promise<string[]> {
  const markers = markersOf(n)
  const found = [...(await dumpDatabase(database.url))].flatMap(([table, lines]) =>
    markers.some((marker) => lines.some((line) => marker.test(line))) ? [table.replace(/_\d{6}$/, '')] : [],
  )
  const inLogs = markers.some((marker) => logged.some((line) => marker.test(line)))
  return [...new Set([...found, ...(inLogs ? ['a log'] : [])])].toSorted()
}

const keysOf = (n: number) => ({ create: `create-${n}`, update: `update-${n}` })

async function plant(n: number): Promise<Customer> {
  const customer = await payments.customers.create(person(n), { idempotencyKey: keysOf(n).create })
  const more = { metadata: { tier: 'gold' } }
  await payments.customers.update(customer.id, more, { idempotencyKey: keysOf(n).update })
  return customer
}

/** Pays with the person's number. The rail refuses it and names the person. */
async function refuse(n: number, customer: string | null): Promise<string> {
  const rail = stack.mockRails.pushRail
  const params = { amount: 5000, currency: 'XAF', payment_method_types: [rail], customer } as const
  const { id } = await payments.paymentIntents.create(params)
  await payments.paymentIntents.confirm(id, { payment_method_data: { [rail]: { msisdn: person(n).phone } } })
  await until(async () => (await payments.paymentIntents.retrieve(id)).last_payment_error !== null)
  return id
}

/** Waits until each event so far is delivered and its receiver's answer is stored. */
const delivered = () =>
  until(async () => {
    const dump = await dumpDatabase(database.url)
    return !dump.has('public.delivery_jobs') && !dump.has('public.fanout_jobs')
  })

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let step = 0; step < DRAIN_STEPS_MAX; step += 1) {
    if (await condition()) return
    await delay(DRAIN_STEP_MS)
  }
  throw new Error('it never came to pass')
}

const everywhere = [
  'public.charges',
  'public.customers',
  'public.delivery_attempts',
  'public.events',
  'public.idempotency_keys',
  'public.payment_intents',
]
const unpaidFor = ['public.customers', 'public.delivery_attempts', 'public.events', 'public.idempotency_keys']

describe('a dump of the whole database, and every line logged, hold none of the nine identifiers', () => {
  test('of a customer with payments, after its delete', async () => {
    const { id } = await plant(1)
    const intent = await refuse(1, id)
    await payments.paymentIntents.cancel(intent, {}, { idempotencyKey: 'cancel-1' })
    await delivered()
    expect(await placesOf(1)).toEqual(everywhere)

    await payments.customers.del(id)
    expect(await placesOf(1)).toEqual([])
    expect(await payments.customers.retrieve(id)).toMatchObject({ deleted: true, metadata: { tier: 'gold' } })
    // Later writes about the customer are redacted too.
    await delivered()
    expect(await placesOf(1)).toEqual([])
    const replayed = await payments.customers.create(person(1), { idempotencyKey: keysOf(1).create })
    expect(replayed).toMatchObject({ id, name: '[redacted]', address: { country: '[redacted]' } })
    const canceled = await payments.paymentIntents.cancel(intent, {}, { idempotencyKey: 'cancel-1' })
    expect(canceled).toMatchObject({ last_payment_error: { message: '[redacted]' } })
  })

  test('of a customer whom nothing names, after its removal', async () => {
    const { id } = await plant(2)
    await delivered()
    expect(await placesOf(2)).toEqual(unpaidFor)
    await payments.customers.del(id)
    await delivered()
    expect(await placesOf(2)).toEqual([])
  })

  test('of customers who were idle for a year, after the hourly sweep', async () => {
    const { id } = await plant(3)
    await refuse(3, id)
    await delivered()
    expect(await placesOf(3)).toEqual(everywhere)
    await stack.worker.restart({ CLOCK_OFFSET_MS: String(YEAR_MS) })
    await until(async () => (await payments.customers.retrieve(id)).deleted === true)
    await delivered()
    expect(await placesOf(3)).toEqual([])
  })
})

describe('an erasure of several steps, whose processes are killed with kill -9', () => {
  /** Each update leaves an event, a stored answer and the receiver's answer: more than two steps can clear. */
  const UPDATES = 220
  const deletesOf = async (id: string) =>
    [...(await dumpDatabase(database.url))]
      .filter(([table]) => table.startsWith('public.events'))
      .flatMap(([, lines]) => lines.filter((line) => line.includes('customer.deleted') && line.includes(id)))

  test.each([
    ['once the intention is committed', 'erase.begun', 1, 4],
    ['after its second step', 'erase.step_committed', 2, 5],
  ])('%s, is finished by the worker: nothing is left, and it is told once', async (_, point, hits, n) => {
    const { id } = await plant(n)
    for (let version = 1; version <= UPDATES; version += 1) {
      await payments.customers.update(id, { metadata: { version: String(version) } })
    }
    await delivered()
    stack.worker.kill('SIGKILL')
    await stack.worker.exited
    await stack.api.restart({ FAULT_POINT: point, FAULT_HITS: String(hits) })
    const answer = payments.customers.del(id).catch(() => undefined)
    expect((await stack.api.exited).signal).toBe('SIGKILL')
    await stack.api.restart({})
    await answer
    expect(await placesOf(n)).toContain('public.idempotency_keys')
    expect(await payments.customers.retrieve(id)).toMatchObject({ deleted: true, name: '[redacted]' })

    await endErasureLeases(database.url)
    expect(await endOf(stack.worker, { FAULT_POINT: 'erase.step_committed' })).toBe('SIGKILL')
    await endErasureLeases(database.url)
    await stack.worker.restart({})
    await until(async () => !(await dumpDatabase(database.url)).has('public.customer_erasures'))
    await delivered()
    expect(await placesOf(n)).toEqual([])
    expect(await deletesOf(id)).toHaveLength(1)
  })
})
