import { readFile } from 'node:fs/promises'
import { createMerchantPayments, type MerchantPayments } from '@merchant-payments/node-sdk'
import { allowInsecureBaseUrl, createPayerClient, PayerClientError } from '@merchant-payments/payer-client'
import { type Stack, startStack } from '@merchant-payments/stack'
import { cloneDatabase, type TestDatabase } from '@merchant-payments/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const RAIL = 'mtn_momo_cm'
// The last digits tell the mock rail what the payer does.
const APPROVES = '+237 6 70 00 00 01'
const TOO_POOR = '+237 6 70 00 04 70'
const APPROVES_LATE = '+237 6 70 00 04 80'

type Fetch = typeof fetch

let database: TestDatabase
let stack: Stack
let payments: MerchantPayments

beforeAll(async () => {
  database = await cloneDatabase()
  stack = await startStack({
    databaseUrl: database.url,
    mockRailsSettings: { mtn: { autoApproveAfterMs: 100, lateSuccessAfterMs: 3_000 } },
  })
  const { baseUrl, clientId, privateKeyFile } = stack
  payments = createMerchantPayments({
    baseUrl,
    clientId,
    privateKey: await readFile(privateKeyFile, 'utf8'),
  })
})
afterAll(async () => {
  await stack?.stop()
  await database?.drop()
})

/** An intent of the shop, and its payer's device. */
async function open(options: { fetch?: Fetch } = {}) {
  const order = { amount: 5_000, currency: 'XAF', payment_method_types: [RAIL] } as const
  const intent = await payments.paymentIntents.create(order)
  return { id: intent.id, payer: payerWith(intent.client_secret, options) }
}

const payerWith = (clientSecret = '', options: { fetch?: Fetch } = {}) =>
  createPayerClient({
    baseUrl: stack.baseUrl,
    clientSecret,
    publishableKey: stack.publishableKey,
    [allowInsecureBaseUrl]: true,
    ...options,
  })

const debitCount = async () => (await stack.mockRails.control.getLedger()).debitCount

describe('a payer’s device, against the real service', () => {
  test('pays, and sees what the shop sees [§4.6]', async () => {
    const { id, payer } = await open()
    const result = await payer.pay({ rail: RAIL, msisdn: APPROVES })
    expect(result).toMatchObject({ outcome: 'succeeded', intent: { id, status: 'succeeded' } })
    const { status } = await payments.paymentIntents.retrieve(id)
    expect(status).toBe('succeeded')
  })

  test('is told why the rail refused, and pays with another number [§4.6]', async () => {
    const { payer } = await open()
    expect(await payer.pay({ rail: RAIL, msisdn: TOO_POOR })).toMatchObject({
      outcome: 'failed',
      code: 'insufficient_funds',
    })
    expect(await payer.pay({ rail: RAIL, msisdn: APPROVES })).toMatchObject({ outcome: 'succeeded' })
  })

  test('sees a late success after a refusal', async () => {
    const { payer } = await open()
    expect(await payer.pay({ rail: RAIL, msisdn: APPROVES_LATE })).toMatchObject({
      outcome: 'failed',
      code: 'approval_timeout',
    })
    const seen: string[] = []
    for await (const { status } of payer.watch({ everyMs: 1_000, forMs: 40_000 })) seen.push(status)
    expect(seen.at(-1)).toBe('succeeded')
  })

  test('is told what is wrong with a number, and that nothing was begun', async () => {
    const { id, payer } = await open()
    const error = await payer.pay({ rail: RAIL, msisdn: 'abc' }).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(PayerClientError)
    expect(error).toMatchObject({ reason: 'refused', param: `payment_method_data[${RAIL}][msisdn]` })
    expect(await payer.resume()).toBe(null)
    expect(await payments.paymentIntents.retrieve(id)).toMatchObject({ status: 'requires_payment_method' })
  })

  test('sees that the shop has canceled', async () => {
    const { id, payer } = await open()
    await payments.paymentIntents.cancel(id)
    expect(await payer.pay({ rail: RAIL, msisdn: APPROVES })).toMatchObject({ outcome: 'canceled' })
  })

  test('finds nothing with a wrong secret', async () => {
    const { id } = await open()
    const payer = payerWith(`${id}_secret_${'a'.repeat(43)}`)
    await expect(payer.retrieve()).rejects.toMatchObject({ reason: 'not_found' })
  })

  test('pays a session by its secret alone, and not after its end [§4.6]', async () => {
    const terms = {
      amount: 5_000,
      currency: 'XAF',
      payment_method_types: [RAIL],
      ui_mode: 'embedded',
    } as const
    const [paid, ended] = await Promise.all(
      [terms, terms].map((each) => payments.checkout.sessions.create(each)),
    )
    await payments.checkout.sessions.expire(ended?.id ?? '')

    const payer = payerWith(paid?.client_secret)
    const { rails, merchant } = await payer.retrieveSession()
    expect([merchant.name, rails.map(({ code }) => code)]).toEqual(['Demo shop', [RAIL]])
    expect(await payer.pay({ rail: RAIL, msisdn: APPROVES })).toMatchObject({ outcome: 'succeeded' })
    expect(await payer.retrieveSession()).toMatchObject({ status: 'complete', payment_status: 'paid' })
    expect(await payerWith(ended?.client_secret).pay({ rail: RAIL, msisdn: APPROVES })).toMatchObject({
      outcome: 'unresolved',
      reason: 'conflict',
    })
  })

  test('is charged once though the service dies before it has answered', async () => {
    const before = await debitCount()
    const { payer } = await open()
    await stack.api.restart({ FAULT_POINT: 'confirm.answer_committed' })
    const revived = stack.api.exited.then(() => stack.api.restart({}))
    expect(await payer.pay({ rail: RAIL, msisdn: APPROVES })).toMatchObject({ outcome: 'succeeded' })
    await revived
    expect((await debitCount()) - before).toBe(1)
  })

  // The answer to the first confirm is lost. The client closes its key with an empty order before it uses
  // another.
  test('closes an attempt that nothing answered for before it begins another', async () => {
    const before = await debitCount()
    const posts: { key: string; body: unknown; status: number }[] = []
    const losing: Fetch = async (url, init) => {
      const response = await fetch(url, init)
      if (init?.method !== 'POST') return response
      const key = new Headers(init.headers).get('idempotency-key') ?? ''
      posts.push({ key, body: init.body, status: response.status })
      if (posts.length === 1) throw new TypeError('fetch failed')
      return response
    }
    const { payer } = await open({ fetch: losing })
    expect(await payer.pay({ rail: RAIL, msisdn: TOO_POOR })).toMatchObject({ outcome: 'failed' })
    expect(await payer.pay({ rail: RAIL, msisdn: APPROVES })).toMatchObject({ outcome: 'succeeded' })
    const [lost, closing, next] = posts
    expect(closing).toEqual({ key: lost?.key, body: '', status: 400 })
    expect(next).toMatchObject({ status: 200 })
    expect(next?.key).not.toBe(lost?.key)
    expect((await debitCount()) - before).toBe(1)
  })
})
