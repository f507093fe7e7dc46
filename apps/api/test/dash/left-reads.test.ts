import { type ClientRequest, get } from 'node:http'
import { SETTLED_AFTER_MS } from '@merchant-payments/db'
import { lockTable } from '@merchant-payments/testing'
import { connect } from '@merchant-payments/testing/client'
import { countBusySessions } from '@merchant-payments/testing/operator'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { PUSH_RAIL } from '../harness.ts'
import { startStaffApi } from './staff.ts'

/** More than one statement of a summary sums up, and than one part of a file has. */
const CHARGES = 20_001
/** A statement that waits for a lock ends by itself after 15 seconds. */
const BEFORE_ITS_TIMEOUT = { timeout: 8_000 }

const api = await startStaffApi()
const vera = await api.signInAs('vera')
beforeAll(async () => {
  const owner = await connect(api.databaseUrl)
  // As a restore does: without foreign keys and triggers.
  await owner.query('set session_replication_role = replica')
  const opened = `to_timestamp(${api.clock() - CHARGES} / 1000.0)`
  await owner.query(`
    insert into charges (merchant_id, id, payment_intent_id, rail, status, amount, currency, reference, opened_at, submit_deadline)
    select 'acme', id, id, '${PUSH_RAIL}', 'succeeded', 500, 'XAF', id, ${opened}, ${opened}
    from (
      select (lpad(to_hex(${api.clock() - CHARGES} + n), 12, '0') || '7000a' || lpad(to_hex(n), 15, '0'))::uuid as id
      from generate_series(1, ${CHARGES}) n) c`)
  await owner.end()
  api.advance(SETTLED_AFTER_MS + 1_000)
})
afterAll(() => api.stop())

const connections = () =>
  new Promise<number>((resolve) => api.app.server.getConnections((_, count) => resolve(count)))
const busy = () => countBusySessions(api.databaseUrl, 'test-api')

/** Leaves while the first statement runs. The second one, if there is any, waits for a lock until the end of the test. */
async function leaveDuring(path: string): Promise<void> {
  const before = await connections()
  const unlock = await lockTable(api.databaseUrl, 'charges')
  const cookie = Array.from(vera.cookies, ([name, value]) => `${name}=${value}`).join('; ')
  const request: ClientRequest = get(`${api.origin}${path}`, { agent: false, headers: { cookie } })
  request.on('error', () => undefined)
  await expect.poll(busy).toBe(1)
  const locked = lockTable(api.databaseUrl, 'charges')
  request.destroy()
  await expect.poll(connections).toBe(before)
  await unlock()
  onTestFinished(await locked)
}

test('a summary ends at the first statement after its reader has left', async () => {
  await leaveDuring('/dash/v1/finance_summary')
  await expect.poll(() => api.figure('requests_running{surface="staff"}'), BEFORE_ITS_TIMEOUT).toBe(0)
})

test('a file ends at the first part after its reader has left, although no row of it is in the file', async () => {
  const form = { of: 'charges', merchant: 'acme', rail: 'another_rail' }
  const { body } = await vera.post('/exports', form, { headers: { 'idempotency-key': undefined } })
  await leaveDuring(body.url)
  expect((await vera.get('/refunds')).status).toBe(200)
  await expect.poll(busy, BEFORE_ITS_TIMEOUT).toBe(0)
})
