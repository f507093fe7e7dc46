import { createServer } from 'node:http'
import type { RailAdapter } from '@merchant-payments/core'
import { listen } from '@merchant-payments/testing/listen'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createMtnMomo, createOrangeMoney } from '../src/index.ts'
import { atRail, charge, config, reference, refund, webPayment } from './open-rail.ts'

/** A rail that grants tokens and answers each other call only once it is let go. */
async function startRail() {
  const waiting: (() => void)[] = []
  const server = createServer(({ url = '' }, response) => {
    const end = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (url.includes('token')) end(200, { access_token: 'token', token_type: 'Bearer', expires_in: 3_600 })
    else waiting.push(() => end(200, { status: 'PENDING', order_id: reference }))
  })
  const letGo = () => void setInterval(() => waiting.splice(0).forEach((answer) => answer()), 1).unref()
  return { baseUrl: `http://127.0.0.1:${await listen(server)}`, waiting, letGo }
}

const countKinds = async (calls: readonly Promise<{ kind: string }>[]) =>
  Object.fromEntries(
    [...Map.groupBy(await Promise.all(calls), (outcome) => outcome.kind)].map(([kind, all]) => [
      kind,
      all.length,
    ]),
  )

const refundsOf = ({ refunds }: RailAdapter) => refunds ?? expect.unreachable('the rail pays out')

test('MTN MoMo: what finds no place in our own queue was not asked', async () => {
  const { baseUrl, waiting, letGo } = await startRail()
  const rail = createMtnMomo({ ...config, baseUrl, maxConnections: 8 })
  onTestFinished(() => rail.close())
  const refunds = refundsOf(rail)
  const queries = Array.from({ length: 300 }, () => rail.queryCharge(atRail))
  const payouts = Array.from({ length: 300 }, () => refunds.queryRefund(reference))
  await expect.poll(() => waiting).toHaveLength(16)
  letGo()
  expect(await countKinds(queries)).toEqual({ pending: 64, held_back: 236 })
  expect(await countKinds(payouts)).toEqual({ pending: 64, held_back: 236 })
})

test('Orange Money: the same', async () => {
  const { baseUrl, waiting, letGo } = await startRail()
  const rail = createOrangeMoney({ ...webPayment, baseUrl, maxConnections: 8 })
  onTestFinished(() => rail.close())
  const queries = Array.from({ length: 300 }, () => rail.queryCharge({ ...atRail, railToken: 'pay' }))
  await expect.poll(() => waiting).toHaveLength(8)
  letGo()
  expect(await countKinds(queries)).toEqual({ pending: 64, held_back: 236 })
})

test('a call whose time ends in our own queue was not made', async () => {
  const { baseUrl, waiting } = await startRail()
  const rail = createMtnMomo({ ...config, baseUrl, maxConnections: 1, totalTimeoutMs: 1_000 })
  onTestFinished(() => rail.close())
  // No time passes before the rail has a call of each kind, however busy the machine is.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const refunds = refundsOf(rail)
  const queries = Array.from({ length: 4 }, () => rail.queryCharge(atRail))
  const tries = Array.from({ length: 3 }, () => refunds.submitRefund(refund))
  const charges = Array.from({ length: 3 }, () => rail.submitCharge(charge))
  await expect.poll(() => waiting).toHaveLength(3)
  const ticking = setInterval(() => vi.advanceTimersByTime(1_000), 1)
  onTestFinished(() => clearInterval(ticking))
  expect(await countKinds(queries)).toEqual({ unavailable: 1, held_back: 3 })
  // The follow-up of the try that was sent is a query.
  expect(await countKinds(tries)).toEqual({ unknown: 1, held_back: 2 })
  expect(await countKinds(charges)).toEqual({ unknown: 1, not_sent: 2 })
})
