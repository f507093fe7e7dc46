import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Child, type Environment, type Stack, startStack } from '@merchant-payments/stack'
import { cloneDatabase } from '@merchant-payments/testing'
import { findViolations } from '@merchant-payments/testing/invariants'
import { requireProgram } from '@merchant-payments/testing/program'
import { findRailViolations } from '@merchant-payments/testing/rail-truth'
import { testFolder } from '@merchant-payments/testing/test-folder'
import { createVerifier } from '@merchant-payments/webhook-verifier'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { DRAIN_TIMEOUT_MS, moveAhead, untilDrained } from './drain.ts'
import { openMerchant } from './merchant.ts'

const INSTALL_MS = 120_000
const TEN_MINUTES_MS = 10 * 60_000
/** A machine that is ten minutes off is told from one that is slow. */
const SURELY_OFF_MS = 5 * 60_000
const PAYERS = ['237670000001', '237670000002', '237670000470', '237670000480', '237670000001']
const ROUNDS = 3

const run = (program: string, ...args: string[]) => execFileSync(program, args, { encoding: 'utf8' })

beforeAll(() => requireProgram('faketime'), INSTALL_MS)

/** The environment in which a program sees another time, which its file may change while the program runs. */
async function clockBy(offset: string) {
  const folder = await testFolder()
  const file = join(folder, 'clock')
  const set = (to: string) => writeFile(file, `${to}\n`)
  await set(offset)
  const library = run('faketime', '-f', '+0', 'printenv', 'LD_PRELOAD').trim()
  // The monotonic clock of a machine does not move when its time is set.
  const env: Environment = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  }
  return { env, set }
}

/** How far the time of the process's newest log line is from this machine's, in ms. */
function offsetOf(child: Child): number {
  const line = child.lines().findLast((text) => text.startsWith('{')) ?? '{}'
  const { time } = JSON.parse(line) as { time: number }
  return time - Date.now()
}

/** How many minutes the process added to its machine's clock when it started. */
function correctionOf(child: Child): number {
  const line = child.lines().find((text) => text.includes('clock set by the database')) ?? '{}'
  return Math.round((JSON.parse(line) as { by_ms: number }).by_ms / 60_000)
}

async function startWith(env: { api: Environment; worker: Environment }) {
  const database = await cloneDatabase()
  onTestFinished(() => database.drop())
  const received: { readonly body: string; readonly headers: object }[] = []
  const verified: Promise<unknown>[] = []
  let stack: Stack | undefined
  stack = await startStack({
    databaseUrl: database.url,
    env,
    onWebhook: (webhook) => {
      received.push(webhook)
      // A receiver refuses a timestamp that is more than five minutes off.
      const verifier = createVerifier({ secrets: stack?.webhook?.secrets ?? [] })
      verified.push(verifier.verify(webhook.body, webhook.headers).catch((error: unknown) => error))
    },
    mockRailsSettings: { mtn: { autoApproveAfterMs: 100, lateSuccessAfterMs: 1_000 } },
  })
  onTestFinished(() => stack.stop())
  return { stack, databaseUrl: database.url, received, verified }
}

type Running = Awaited<ReturnType<typeof startWith>>

async function trade({ stack }: Running, isOpen = () => false) {
  const merchant = await openMerchant(stack)
  for (let round = 0; round < ROUNDS || isOpen(); round += 1) {
    const payments = PAYERS.map(async (msisdn) => {
      await merchant.confirm(await merchant.createIntent(1_000), msisdn)
    })
    const paid = await merchant.pay(2_000, '237670000001')
    await Promise.all([...payments, merchant.refund(paid, 100, '237670000001')])
  }
  return merchant
}

/** Every payment is what its rail says, every answer is repeated, and every webhook has a valid time. */
async function expectSound(running: Running, journalOf: Awaited<ReturnType<typeof openMerchant>>) {
  const { stack, databaseUrl, received, verified } = running
  expect(await journalOf.replay()).toEqual([])
  const { journal } = journalOf
  expect(journal.filter(({ status }) => status >= 500)).toEqual([])
  const events = await Promise.all(verified)
  expect(events.filter((event) => event instanceof Error)).toEqual([])
  expect(events.length).toBeGreaterThan(ROUNDS)
  await moveAhead(stack, [stack.worker])
  await untilDrained(databaseUrl)
  const { control } = stack.mockRails
  const { debits, credits } = await control.getLedger({ limit: 100_000 })
  const evidence = { databaseUrl, debits, credits, journal, received, endpoints: 1 }
  expect(await findViolations(evidence)).toEqual([])
  expect(await findRailViolations(databaseUrl, await control.listCharges({ limit: 100_000 }))).toEqual([])
}

describe('a machine’s clock that is ten minutes wrong changes no payment, token, lease or webhook', () => {
  test.each([
    { api: '+10m', worker: '-10m', corrections: [-10, 10] },
    { api: '-10m', worker: '+10m', corrections: [10, -10] },
  ])(
    'the api’s by $api, the worker’s by $worker',
    async ({ api, worker, corrections }) => {
      const running = await startWith({
        api: (await clockBy(api)).env,
        worker: (await clockBy(worker)).env,
      })
      const merchant = await trade(running)
      const { stack } = running
      const [apiOff, workerOff] = [offsetOf(stack.api), offsetOf(stack.worker)]
      expect(Math.abs(apiOff)).toBeGreaterThan(SURELY_OFF_MS)
      expect(Math.abs(workerOff)).toBeGreaterThan(SURELY_OFF_MS)
      expect(Math.sign(apiOff)).toBe(-Math.sign(workerOff))
      expect([correctionOf(stack.api), correctionOf(stack.worker)]).toEqual(corrections)
      await expectSound(running, merchant)
    },
    DRAIN_TIMEOUT_MS,
  )

  test(
    'both, set forward and back while payments are under way',
    async () => {
      const clock = await clockBy('+0')
      const running = await startWith({ api: clock.env, worker: clock.env })
      let isOpen = true
      const trading = trade(running, () => isOpen)
      await clock.set('+10m')
      await expect.poll(() => offsetOf(running.stack.api)).toBeGreaterThan(TEN_MINUTES_MS / 2)
      await clock.set('-10m')
      await expect.poll(() => offsetOf(running.stack.api)).toBeLessThan(-TEN_MINUTES_MS / 2)
      isOpen = false
      await expectSound(running, await trading)
    },
    DRAIN_TIMEOUT_MS,
  )
})
