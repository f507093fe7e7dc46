import { setTimeout as delay } from 'node:timers/promises'
import type { Bench } from '../bench.ts'
import { nowMs } from '../clock.ts'
import { type Figure, figureOf } from '../figure.ts'
import { loopFor, loopWhile } from '../load/closed-loop.ts'
import type { Connection } from '../load/connection.ts'
import { expectStatus } from '../load/merchant.ts'
import { interleave } from '../rounds.ts'
import { INSTANT_RAIL } from '../system/deployment.ts'
import { readLogBytes, readWrites, type TableWrites, writesPer } from '../system/writes.ts'
import { API_CONNECTIONS as PAYERS, captureScripts, createForm, floorOf } from './create.ts'
import { metered } from './processor.ts'

const DRAIN_TIMEOUT_MS = 60_000
const POLL_MS = 20
const KB = 1_000

/**
 * Whole payments: create, confirm, the rail's call and query, the settlement, its event, the fan-out and the
 * signed delivery. A round ends with its last webhook, not with its last confirm.
 */
export async function measurePayments(bench: Bench): Promise<Figure[]> {
  const { merchant, plan, counted } = bench
  const connections = await merchant.connect(PAYERS)
  const ours = metered(bench, 'a payment', async (durationMs) => {
    const before = counted.payments
    const startMs = nowMs()
    await loopFor(connections, durationMs, async (connection) => {
      await pay(bench, connection, INSTANT_RAIL)
    })
    const lastMs = await untilDelivered(bench)
    return { done: counted.payments - before, elapsedMs: lastMs - startMs }
  })
  const scripts = bench.pgbench === null ? null : await captureScripts(bench)
  const five = scripts && floorOf(bench, scripts.five)
  const rounds = await interleave(
    { ours: ours.contestant, floor: five && ((durationMs) => five(Math.min(durationMs, plan.roundMs))) },
    { rounds: plan.rounds, durationMs: plan.paymentRoundMs, turn: bench.turn },
  )
  const writes = await countWrites(bench, connections)
  for (const connection of connections) connection.close()
  return [
    figureOf({ name: 'whole payments', unit: '/s', ours: rounds.ours, target: { min: 1_331 } }),
    figureOf({
      name: 'whole payments / creates in five statements',
      unit: '/s',
      ours: rounds.ours,
      peer: rounds.floor,
      target: { ratioMin: 0.25 },
    }),
    ...ours.figures(),
    ...writes,
  ]
}

/** Counts the writes of one payment, from its create to its last webhook, in a separate round. */
async function countWrites(bench: Bench, connections: readonly Connection[]): Promise<Figure[]> {
  const { client } = bench.system.database
  const { writesPayments: payments } = bench.plan
  const before = await readWrites(client)
  const logBefore = await readLogBytes(client)
  let left = payments
  const hasMore = () => left > 0
  await loopWhile(connections, hasMore, async (connection) => {
    left -= 1
    await pay(bench, connection, INSTANT_RAIL)
  })
  await untilDelivered(bench)
  const log = (await readLogBytes(client)) - logBefore
  const writes = writesPer(payments, before, await readWrites(client))
  bench.writes = writes
  const sum = (of: (table: TableWrites) => number) => writes.reduce((total, table) => total + of(table), 0)
  const updates = sum((table) => table.updates)
  const hotShare = (100 * sum((table) => table.hotUpdates)) / updates
  return [
    figureOf({ name: 'updates per payment', unit: 'rows', ours: [updates] }),
    figureOf({ name: 'updates per payment that are HOT', unit: '%', ours: [hotShare] }),
    figureOf({ name: 'log of a payment', unit: 'KB', ours: [log / payments / KB] }),
  ]
}

/**
 * Creates an intent and confirms it, at `confirmAtMs` if that is given.
 *
 * @returns its id
 */
export async function pay(
  { merchant, counted }: Pick<Bench, 'merchant' | 'counted'>,
  connection: Connection,
  rail: string,
  untilConfirm: () => Promise<void> = () => Promise.resolve(),
): Promise<string> {
  const created = await connection.exchange(merchant.post('/v1/payment_intents', createForm(rail)))
  expectStatus(created, 201)
  counted.intents += 1
  const { id } = JSON.parse(created.body) as { id: string }
  await untilConfirm()
  const form = `payment_method_data[${rail}][msisdn]=237670000001`
  expectStatus(await connection.exchange(merchant.post(`/v1/payment_intents/${id}/confirm`, form)), 200)
  counted.payments += 1
  return id
}

/** @returns the arrival of the last webhook of all payments and refunds so far */
export async function untilDelivered({ system, counted }: Bench): Promise<number> {
  const count = counted.payments + counted.refunds
  const deadlineMs = nowMs() + DRAIN_TIMEOUT_MS
  for (;;) {
    const received = await system.receivedSoFar()
    if (received.count >= count) return received.lastAtMs
    if (nowMs() > deadlineMs) throw new Error(`only ${received.count} of ${count} webhooks arrived`)
    await delay(POLL_MS)
  }
}
