import { type FaultPoint, faultPoints } from '@merchant-payments/core'
import { type Child, type Stack, startStack } from '@merchant-payments/stack'
import { soakOf } from '@merchant-payments/testing/soaks'
import { cloneDatabase, type TestDatabase } from '@merchant-payments/testing'
import { findViolations } from '@merchant-payments/testing/invariants'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DRAIN_TIMEOUT_MS, moveAhead, untilDrained } from './drain.ts'
import { endOf } from './kill.ts'
import { openMerchant, type Merchant } from './merchant.ts'

let database: TestDatabase
let stack: Stack
let merchant: Merchant
/** Paid before any kill; the refunds are of these payments. */
let paid: Awaited<ReturnType<Merchant['pay']>>

beforeAll(async () => {
  database = await cloneDatabase()
  stack = await startStack({
    databaseUrl: database.url,
    mockRailsSettings: { mtn: { autoApproveAfterMs: 100, lateSuccessAfterMs: 1_000 } },
  })
  merchant = await openMerchant(stack)
  paid = await merchant.pay(1_000_000, '237670000001')
})
afterAll(async () => {
  await stack?.stop()
  await database?.drop()
})

const processOf = (point: FaultPoint): Child =>
  /^(?:settle|instruct|fanout|deliver)\./.test(point) ? stack.worker : stack.api

/** Fault points of an erasure are in erasure.test.ts. */
const pointsOfPayments = faultPoints.filter((point) => !point.startsWith('erase.'))

const { size: KILLS } = soakOf('killsPerFaultPoint')

/** Killed by the newest pass. The next pass starts it at its own point, because a start without one only takes time. */
let killed: Child | null = null

async function restartKilled(): Promise<void> {
  await killed?.restart({})
  killed = null
}

/** The payments of all passes. A payment that met a kill retries for seconds, into the passes after its own. */
const trades: Promise<void>[] = []

describe('kill -9 at each step [§6.3.2]', () => {
  // Each pass of a fault point kills once, amid payments of every kind: at the first hit, and in a full run also at a
  // later one.
  for (const point of pointsOfPayments) {
    for (let hits = 1; hits <= KILLS; hits += 1) {
      test(`${point}, passing ${hits}`, async () => {
        const child = processOf(point)
        if (child !== killed) await restartKilled()
        child.kill('SIGKILL')
        await child.exited
        killed = child
        const end = endOf(child, { FAULT_POINT: point, FAULT_HITS: String(hits) })
        const trading = trade()
        trades.push(trading)
        // A failure is the last test's, which waits for all of them.
        trading.catch(() => undefined)
        expect(await end).toBe('SIGKILL')
      })
    }
  }
})

test(
  'afterwards every payment is what the rail says, told once and delivered',
  async () => {
    await restartKilled()
    await Promise.all(trades)
    await moveAhead(stack, [stack.worker])
    await untilDrained(database.url)
    const ledger = await stack.mockRails.control.getLedger({ limit: 100_000 })
    const { debits, credits } = ledger
    expect(ledger).toMatchObject({ debitsDropped: 0, creditsDropped: 0 })
    expect(
      await findViolations({
        databaseUrl: database.url,
        debits,
        credits,
        journal: merchant.journal,
        received: stack.webhook?.receiver.received() ?? [],
        endpoints: 1,
      }),
    ).toEqual([])
    // Guards against a run that made no payments.
    expect(debits.length).toBeGreaterThan(pointsOfPayments.length)
    expect(credits.length).toBeGreaterThan(pointsOfPayments.length)
  },
  DRAIN_TIMEOUT_MS,
)

/**
 * Makes payments of every kind side by side: paid, refused, late, canceled under way. Also refunds, some of
 * which are lost on the way.
 */
async function trade(): Promise<void> {
  await loseTransfers()
  await Promise.all([
    pay('237670000001'),
    pay('237670000002'),
    pay('237670000470'),
    pay('237670000480'),
    payAndCancel(),
    payAndCancel(),
    refund('237670000001'),
    refund('237670000001'),
    refund('237670000001'),
    refund('237670000482'),
  ])
}

async function pay(msisdn: string): Promise<void> {
  await merchant.confirm(await merchant.createIntent(1000), msisdn)
}

async function payAndCancel(): Promise<void> {
  const intent = await merchant.createIntent(2000)
  await Promise.all([merchant.confirm(intent, '237670000003'), merchant.cancel(intent)])
}

async function refund(msisdn: string): Promise<void> {
  await merchant.refund(paid, 100, msisdn)
}

/** Two transfers never reach the rail, and the first query gets a useless answer. */
async function loseTransfers(): Promise<void> {
  const { control } = stack.mockRails
  await control.clearFaults()
  await control.addFault({ operation: 'transfer', kind: 'reset', when: 'before', times: 2 })
  await control.addFault({ operation: 'transfer_status', kind: 'http', status: 500 })
}
