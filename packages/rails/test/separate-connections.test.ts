import { createServer } from 'node:http'
import type { MerchantId, Msisdn } from '@merchant-payments/core'
import { listen } from '@merchant-payments/testing/listen'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createMtnMomo, createOrangeMoney } from '../src/index.ts'
import { charge, config, lookup, payer, reference, refund, webPayment } from './open-rail.ts'

/** A rail that grants tokens, answers submits of charges, and hangs on everything else. */
async function startRail(submits: string, answer: { status: number; body: object }) {
  const hung: string[] = []
  const server = createServer(({ url = '' }, response) => {
    const end = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (url.includes('token')) end(200, { access_token: 'token', token_type: 'Bearer', expires_in: 3_600 })
    else if (url.endsWith(submits)) end(answer.status, answer.body)
    else hung.push(url)
  })
  return { baseUrl: `http://127.0.0.1:${await listen(server)}`, hung }
}

const query = { reference, railToken: 'token', amountMinor: 1000, currency: 'XAF' } as const

test('MTN MoMo: a charge is submitted while refunds, queries and look-ups hang', async () => {
  const { baseUrl, hung } = await startRail('/collection/v1_0/requesttopay', { status: 202, body: {} })
  const rail = createMtnMomo({ ...config, baseUrl, maxConnections: 1 })
  // Not awaited: it waits for the calls that hang, which end with the server.
  onTestFinished(() => void rail.close())
  const calls = [
    rail.refunds?.submitRefund(refund),
    rail.refunds?.queryRefund(reference),
    rail.queryCharge(query),
    rail.accountHolders?.findAccountHolder(lookup),
  ]
  const ends = vi.fn()
  for (const call of calls) void call?.then(ends)
  await expect.poll(() => hung).toHaveLength(calls.length)
  expect(await rail.submitCharge(charge)).toMatchObject({ kind: 'accepted' })
  expect(ends).not.toHaveBeenCalled()
})

test('MTN MoMo: a look-up of one merchant does not wait for all that another merchant asked before', async () => {
  const asked: { url: string; answer: () => void }[] = []
  const server = createServer(({ url = '' }, response) => {
    const end = (body: object) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (url.includes('token')) end({ access_token: 'token', token_type: 'Bearer', expires_in: 3_600 })
    else asked.push({ url, answer: () => end({ result: false, name: 'Sand Box' }) })
  })
  const rail = createMtnMomo({ ...config, baseUrl: `http://127.0.0.1:${await listen(server)}` })
  onTestFinished(() => void rail.close())
  const atOnce = 16
  const ask = (merchantId: string, msisdn: string) =>
    rail.accountHolders?.findAccountHolder({
      merchantId: merchantId as MerchantId,
      msisdn: msisdn as Msisdn,
    })
  // As many as a merchant and its payers may ask at once.
  for (let n = 0; n < 100; n += 1) void ask('busy', payer)
  void ask('quiet', '237670000002')
  await expect.poll(() => asked).toHaveLength(atOnce)
  for (const { answer } of asked.slice(0, 2)) answer()
  await expect
    .poll(() => asked.slice(atOnce).map(({ url }) => url))
    .toContainEqual(expect.stringContaining('237670000002'))
  expect(asked.length).toBeLessThanOrEqual(atOnce + 2)
})

test('Orange Money: a payment page is opened while queries hang', async () => {
  const page = {
    status: 201,
    pay_token: 'pay',
    notif_token: 'notif',
    payment_url: 'https://rail.example/pay',
  }
  const { baseUrl, hung } = await startRail('/webpayment', { status: 201, body: page })
  const rail = createOrangeMoney({ ...webPayment, baseUrl, maxConnections: 1 })
  // Not awaited: it waits for the calls that hang, which end with the server.
  onTestFinished(() => void rail.close())
  const ends = vi.fn()
  void rail.queryCharge(query).then(ends)
  await expect.poll(() => hung).toHaveLength(1)
  const order = { ...charge, reference: 'order-1', returnUrl: 'https://shop.example/' }
  expect(await rail.submitCharge(order)).toMatchObject({ kind: 'accepted' })
  expect(ends).not.toHaveBeenCalled()
})
