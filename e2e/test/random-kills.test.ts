import { setTimeout as delay } from 'node:timers/promises'
import type { MockRailsControl } from '@merchant-payments/mock-rails'
import { type Stack, startStack } from '@merchant-payments/stack'
import { cloneDatabase, type TestDatabase } from '@merchant-payments/testing'
import { findViolations } from '@merchant-payments/testing/invariants'
import { payersBut, randomAmount, randomMsisdn, visitPage } from '@merchant-payments/testing/payers'
import { findRailViolations } from '@merchant-payments/testing/rail-truth'
import { createRandom, type Random } from '@merchant-payments/testing/random'
import { soakOf } from '@merchant-payments/testing/soaks'
import { createBehaviours, nextFault } from '@merchant-payments/testing/weather'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DRAIN_TIMEOUT_MS, moveAhead, untilDrained } from './drain.ts'
import { openMerchant, type Merchant, type Resource } from './merchant.ts'

/** `RANDOM_KILL_PAYMENTS=2000 RANDOM_SEED=7` makes a longer run, or one again. */
const { size: PAYMENTS, seed: SEED, isFull } = soakOf('randomKillPayments')
const BUYERS = 24
const KILL_EVERY_MS = { min: 300, max: 1_500 }

/** Excludes endings that never end, need an operator, or take longer than this run. */
const payers = payersBut(new Set(['000', '454', '475', '481', '485', '494', '496', '497']))

let database: TestDatabase
let stack: Stack
let merchant: Merchant
let control: MockRailsControl
const received: { readonly body: string }[] = []

beforeAll(async () => {
  database = await cloneDatabase()
  const soon = { lateSuccessAfterMs: 1_000, ongoingAfterMs: 1_000 }
  stack = await startStack({
    databaseUrl: database.url,
    // The receiver itself keeps only the newest webhooks.
    onWebhook: (webhook) => received.push(webhook),
    mockRailsSettings: {
      mtn: { autoApproveAfterMs: 100, ...soon },
      orange: { decidesAfterMs: 100, validityMs: 4_000, ...soon },
    },
  })
  merchant = await openMerchant(stack)
  ;({ control } = stack.mockRails)
})
afterAll(async () => {
  await stack?.stop()
  await database?.drop()
})

async function buy(random: Random): Promise<void> {
  const intent = await merchant.createIntent(randomAmount(random, payers)).catch(() => undefined)
  if (intent === undefined) return
  for (let tries = random.int(1, 2); tries > 0; tries -= 1) {
    if (random.chance(0.3)) await addFault(random)
    const windows: Promise<unknown>[] = [pay(random, intent)]
    if (random.chance(0.15)) windows.push(pay(random, intent))
    if (random.chance(0.15)) windows.push(merchant.cancel(intent))
    await Promise.all(windows)
  }
}

async function pay(random: Random, intent: Resource): Promise<void> {
  if (random.chance(0.6)) {
    await merchant.confirm(intent, randomMsisdn(random, payers))
    return
  }
  const page = (await merchant.confirmByPage(intent))?.next_action?.redirect_to_url.url
  if (page !== undefined) await visitPage(random, payers, page)
}

/** Adds any fault but a rail that never answers, for which the deployment waits longer than this run. */
async function addFault(random: Random): Promise<void> {
  const fault = nextFault(random)
  if (fault.kind !== 'hang') await control.addFault(fault)
}

/** Kills one process after another, and changes how the rails call back, while the shops are open. */
async function storm(random: Random, isOpen: () => boolean): Promise<number> {
  const nextBehaviour = createBehaviours(random)
  let kills = 0
  while (isOpen()) {
    await delay(random.int(KILL_EVERY_MS.min, KILL_EVERY_MS.max))
    await control.updateSettings(nextBehaviour())
    if (random.chance(0.3)) await control.revokeTokens()
    const child = random.pick([stack.api, stack.worker])
    child.kill('SIGKILL')
    await child.exited
    await child.restart({})
    kills += 1
  }
  return kills
}

describe(`${PAYMENTS} random payments under kill -9, RANDOM_SEED=${SEED}:`, () => {
  let kills = 0
  beforeAll(
    async () => {
      const random = createRandom(SEED)
      let left = PAYMENTS
      let open = BUYERS
      const buyer = async () => {
        for (let nth = left--; nth > 0; nth = left--) await buy(random.fork(nth))
        open -= 1
      }
      const stormed = storm(random.fork(0), () => open > 0)
      await Promise.all(Array.from({ length: BUYERS }, buyer))
      kills = await stormed
      await control.clearFaults()
      await moveAhead(stack, [stack.worker])
      await untilDrained(database.url)
    },
    DRAIN_TIMEOUT_MS + PAYMENTS * 2_000,
  )

  test('every payment is what its rail says, told once and delivered [§6.3.2]', async () => {
    const { debits, debitsDropped } = await control.getLedger()
    expect(debitsDropped).toBe(0)
    const { journal } = merchant
    const databaseUrl = database.url
    expect(
      await findViolations({ databaseUrl, debits, credits: [], journal, received, endpoints: 1 }),
    ).toEqual([])
    expect(await findRailViolations(databaseUrl, await control.listCharges({ limit: 500_000 }))).toEqual([])
  })

  test('it saw what it claims to judge', async () => {
    const { debits } = await control.getLedger()
    expect(new Set(debits.map(({ rail }) => rail))).toEqual(new Set(['mtn', 'orange']))
    expect(kills).toBeGreaterThan(isFull ? 3 : 0)
  })
})
