import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { draftInvoice, itemCall, readInvoice } from './bills.ts'
import { createCustomer, updateCustomerCall } from './customer-steps.ts'
import { type Replica, startTestApi, type TestCall } from './harness.ts'
import { anyRefund, readRefund, updateCall } from './refunds.ts'
import { eventsOf } from './steps.ts'

const AT_ONCE = 120
/** Fewer than the keys that a resource can have. */
const KEYS = 40

const api = await startTestApi()
let replicas: readonly Replica[]
beforeAll(async () => {
  replicas = [api, await api.deploy(api.rails), await api.deploy(api.rails)]
})
afterAll(() => api.stop())

async function statusesOf(callOf: (n: number) => TestCall): Promise<Record<string, number>> {
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, n) => (replicas[n % replicas.length] ?? api).call(callOf(n))),
  )
  const counts: Record<string, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

const metadataOf = (n: number) => `metadata[k${n % KEYS}]=${n}`
const updatesOf = async (id: string) =>
  (await eventsOf(api, id)).filter(({ type }) => type.endsWith('.updated'))

describe('of many changes of one object at once, on three replicas', () => {
  test('each of a customer is made', async () => {
    const { id } = await createCustomer(api)
    expect(await statusesOf((n) => updateCustomerCall(id, metadataOf(n)))).toEqual({ 200: AT_ONCE })
    const { body } = await api.call({ path: `/v1/customers/${id}` })
    expect(Object.keys(body.metadata as object)).toHaveLength(KEYS)
    expect(await updatesOf(id)).toHaveLength(AT_ONCE)
  })

  test('each of a refund is made', async () => {
    const { id } = await anyRefund(api)
    expect(await statusesOf((n) => updateCall(id, metadataOf(n)))).toEqual({ 200: AT_ONCE })
    const { body } = await readRefund(api, id)
    expect(Object.keys(body.metadata as object)).toHaveLength(KEYS)
  })

  test('each line of an invoice is added', async () => {
    const { id } = await draftInvoice(api)
    expect(await statusesOf((n) => itemCall(id, `amount=${n + 1}`))).toEqual({ 200: AT_ONCE })
    const { body } = await readInvoice(api, id)
    expect(body.total).toBe((AT_ONCE * (AT_ONCE + 1)) / 2)
  })
})
