import { setTimeout as delay } from 'node:timers/promises'
import { completePorts, type Stack, startStack } from '@merchant-payments/stack'
import { findViolations } from '@merchant-payments/testing/invariants'
import { findRailViolations } from '@merchant-payments/testing/rail-truth'
import { createRandom } from '@merchant-payments/testing/random'
import { type Replicas, startReplicas } from '@merchant-payments/testing/replicas'
import { soakOf } from '@merchant-payments/testing/soaks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DRAIN_TIMEOUT_MS, moveAhead, untilDrained } from './drain.ts'
import { openMerchant, type Merchant } from './merchant.ts'

/** `FAILOVERS=20 RANDOM_SEED=7` makes a longer run, or one again. */
const { size: FAILOVERS, seed: SEED } = soakOf('failovers')
/** The rail answers so late that a confirm is under way there when the primary dies. */
const SUBMIT_MS = 1_000
/** From the primary's death to the promotion. */
const UNNOTICED_MAX_MS = 1_000
const BUYERS = 6
/** Payments that begin before the primary dies, and after the standby was promoted. */
const PAYMENTS = 12
/** Writes are answered within two seconds of the promotion: this many tries, so far apart. */
const WRITE_TRIES_MAX = 20
const TRY_EVERY_MS = 100

/** Paid, refused, paid late, and never answered at the submit. */
const MSISDNS = ['237670000001', '237670000001', '237670000002', '237670000470', '237670000480']

let replicas: Replicas
let stack: Stack
let merchant: Merchant
/** Paid before any failover; the refunds are of this payment. */
let paid: Awaited<ReturnType<Merchant['pay']>>
const received: { readonly body: string }[] = []
let begun = 0
const closing = new AbortController()
let trading: Promise<unknown>

beforeAll(async () => {
  const ports = await completePorts({})
  // A port of their own range stays free while its server is down.
  replicas = await startReplicas({ ports: [ports.postgres, ports.identityProvider] })
  stack = await startStack({
    databaseUrl: replicas.url,
    onWebhook: (webhook) => received.push(webhook),
    mockRailsSettings: { mtn: { autoApproveAfterMs: 100, lateSuccessAfterMs: 1_000 } },
  })
  merchant = await openMerchant(stack)
  paid = await merchant.pay(1_000_000, '237670000001')
  trading = Promise.all(Array.from({ length: BUYERS }, trade))
  trading.catch(() => undefined)
})
afterAll(async () => {
  await stack?.stop()
  await replicas?.stop()
})

/**
 * Creates, confirms, refunds and cancels, one payment after the other, and repeats what got no answer. A confirm whose
 * connection broke holds its key for a while; after some seconds the worker finishes that payment.
 */
async function trade(): Promise<void> {
  while (!closing.signal.aborted) {
    const nth = begun++
    const msisdn = MSISDNS[nth % MSISDNS.length] ?? ''
    if (nth % 3 === 0) {
      await merchant.refund(paid, 100, '237670000001')
      continue
    }
    const intent = await merchant.createIntent(2_000)
    await Promise.all([merchant.confirm(intent, msisdn), ...(nth % 4 === 0 ? [merchant.cancel(intent)] : [])])
  }
}

async function untilBegun(payments: number): Promise<void> {
  const all = begun + payments
  await expect.poll(() => begun).toBeGreaterThanOrEqual(all)
}

async function triesUntilWritten(): Promise<number> {
  for (let tries = 1; tries <= WRITE_TRIES_MAX; tries += 1) {
    if (await merchant.tryWrite()) return tries
    await delay(TRY_EVERY_MS)
  }
  return Infinity
}

describe(`the primary dies under payments and its synchronous standby is promoted, RANDOM_SEED=${SEED}:`, () => {
  const random = createRandom(SEED)
  for (let nth = 1; nth <= FAILOVERS; nth += 1) {
    test(`failover ${nth}: the service writes again within ${WRITE_TRIES_MAX} tries`, async () => {
      if (nth > 1) await replicas.rejoin()
      await untilBegun(PAYMENTS)
      const slow = { operation: 'submit', kind: 'delay', when: 'after', delayMs: SUBMIT_MS } as const
      await stack.mockRails.control.addFault({ ...slow, times: BUYERS })
      await untilBegun(BUYERS)
      await replicas.primary().kill()
      await delay(random.int(0, UNNOTICED_MAX_MS))
      await replicas.promote()
      const promotedAtMs = performance.now()
      const tries = await triesUntilWritten()
      const tookMs = Math.round(performance.now() - promotedAtMs)
      console.log(`failover ${nth}: the first write took ${tries} tries and ${tookMs} ms`)
      expect(tries).toBeLessThanOrEqual(WRITE_TRIES_MAX)
      await untilBegun(PAYMENTS)
    })
  }
})

describe('afterwards', () => {
  beforeAll(async () => {
    closing.abort()
    await trading
  }, DRAIN_TIMEOUT_MS)

  test(
    'every request whose answer was lost gets its outcome under its key, and none that was paid is refused',
    async () => {
      // The hold of a key ends some seconds after the rail's deadline, and a charge that the rail never saw ends later.
      await moveAhead(stack, [stack.worker])
      await untilDrained(replicas.primary().url)
      console.log(`${merchant.unfinished()} requests have no outcome yet`)
      await expect.poll(() => merchant.finish(), { timeout: DRAIN_TIMEOUT_MS / 2 }).toEqual([])
      // Each intent is confirmed by one request. Its cancel may come after the payment.
      const confirms = merchant.journal.filter(({ request }) => request.includes('/confirm '))
      expect(confirms.filter(({ body }) => body.includes('"charge_terminal"'))).toEqual([])
    },
    DRAIN_TIMEOUT_MS,
  )

  test('every answer is given again, byte for byte', async () => {
    expect(merchant.journal.length).toBeGreaterThan(FAILOVERS * PAYMENTS)
    expect(await merchant.replay()).toEqual([])
  })

  test(
    'every payment is what the rail says, told once and delivered',
    async () => {
      const databaseUrl = replicas.primary().url
      await untilDrained(databaseUrl)
      const { control } = stack.mockRails
      const { debits, credits, debitsDropped, creditsDropped } = await control.getLedger({ limit: 100_000 })
      expect({ debitsDropped, creditsDropped }).toEqual({ debitsDropped: 0, creditsDropped: 0 })
      const { journal } = merchant
      expect(await findViolations({ databaseUrl, debits, credits, journal, received, endpoints: 1 })).toEqual(
        [],
      )
      expect(await findRailViolations(databaseUrl, await control.listCharges({ limit: 100_000 }))).toEqual([])
      expect(debits.length).toBeGreaterThan(PAYMENTS / 2)
      expect(credits.length).toBeGreaterThan(0)
    },
    DRAIN_TIMEOUT_MS,
  )
})
