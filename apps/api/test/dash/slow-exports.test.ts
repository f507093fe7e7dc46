import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { mintId, uuidOf } from '@merchant-payments/core'
import { SETTLED_AFTER_MS } from '@merchant-payments/db'
import { lockTable } from '@merchant-payments/testing'
import { countBusySessions } from '@merchant-payments/testing/operator'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { PUSH_RAIL } from '../harness.ts'
import { startStaffApi } from './staff.ts'

const ROWS = 60_000
const ROWS_OF_INSERT = 2_000
/** What sockets and one part hold, far below the whole file. */
const HELD_BYTES_MAX = 48 * 1_024 * 1_024
const SILENCE_MS = 300

const api = await startStaffApi()
const vera = await api.signInAs('vera')
beforeAll(async () => {
  const nowMs = api.clock()
  for (let done = 0; done < ROWS; done += ROWS_OF_INSERT) {
    const rows = Array.from({ length: ROWS_OF_INSERT }, (_, n) => ({
      merchant_id: 'slow',
      id: uuidOf(mintId('pi', nowMs - ROWS + done + n)),
      amount: 500,
      currency: 'XAF' as const,
      status: 'requires_payment_method' as const,
      payment_method_types: [PUSH_RAIL],
      description: 'x'.repeat(900),
      metadata: '{}',
      livemode: false,
    }))
    await api.owner.transact((tx) => tx.insertInto('payment_intents').values(rows).execute())
  }
  api.advance(SETTLED_AFTER_MS + 1_000)
})
afterAll(() => api.stop())

async function begin(): Promise<IncomingMessage> {
  const form = { of: 'payment_intents', merchant: 'slow' }
  const { body } = await vera.post('/exports', form, { headers: { 'idempotency-key': undefined } })
  const cookie = Array.from(vera.cookies, ([name, value]) => `${name}=${value}`).join('; ')
  const asked = request(`${api.origin}${body.url as string}`, { headers: { cookie } })
  asked.end()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  return response
}

const busy = () => countBusySessions(api.databaseUrl, 'test-api')

test('a client that does not read holds no connection, no transaction and no file in memory', async () => {
  const before = process.memoryUsage().rss
  const response = await begin()
  response.pause()
  await expect.poll(busy).toBe(0)
  expect(process.memoryUsage().rss - before).toBeLessThan(HELD_BYTES_MAX)
  const { status } = await vera.get('/payment_intents?merchant=slow&limit=1')
  expect(status).toBe(200)
  let bytes = 0
  for await (const chunk of response) bytes += (chunk as Buffer).length
  expect(bytes).toBeGreaterThan(ROWS * 900)
})

test('a file that is silent for longer than any other answer may be is sent to its end', async () => {
  const usualMs = api.app.server.timeout
  onTestFinished(() => void api.app.server.setTimeout(usualMs))
  api.app.server.setTimeout(SILENCE_MS)
  const unlock = await lockTable(api.databaseUrl, 'payment_intents')
  const response = await begin()
  await delay(4 * SILENCE_MS)
  await unlock()
  let text = ''
  for await (const chunk of response) text += (chunk as Buffer).toString()
  expect(text.trimEnd().split('\r\n')).toHaveLength(1 + ROWS)
})

test('503: a third file of one member, until one of them ends', async () => {
  const [first, second] = [await begin(), await begin()]
  const third = await begin()
  expect(third.statusCode).toBe(503)
  first.destroy()
  const again = async () => {
    const response = await begin()
    response.destroy()
    return response.statusCode
  }
  await expect.poll(again).toBe(200)
  second.destroy()
})
