import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Bench } from '../bench.ts'
import { nowMs } from '../clock.ts'
import type { Connection } from '../load/connection.ts'
import { expectStatus } from '../load/merchant.ts'
import { onSchedule } from '../load/schedule.ts'
import { percentile } from '../rounds.ts'
import { CALLBACK_RAIL } from '../system/deployment.ts'
import { createForm } from './create.ts'
import { untilDelivered } from './payments.ts'

/** The measured waits, each as the 99th percentile of a round in milliseconds. */
export const waits = ['create', 'read', 'confirm to webhook'] as const
export type Waits = Readonly<Record<(typeof waits)[number], number>>

const CONNECTIONS = 8
const P99 = 0.99
const RETRY_AFTER_MS = 25
/** A request that is refused for longer voids the run. */
const RETRY_FOR_MS = 60_000

/** One round of a merchant's ordinary work at fixed instants: creates, reads and whole payments side by side. */
export async function workForRound(bench: Bench, durationMs: number): Promise<Waits> {
  const { merchant, plan, counted, system } = bench
  const sets = await Promise.all(waits.map(() => merchant.connect(CONNECTIONS)))
  const [creators = [], readers = [], payers = []] = sets
  const latencies: Record<keyof Waits, number[]> = { create: [], read: [], 'confirm to webhook': [] }
  const before = (await system.receivedSoFar()).count
  const confirmedMs = new Map<string, number>()
  const first = await create(bench, creators[0] as Connection)

  const creates = onSchedule(creators, { everyMs: plan.neighbourEveryMs, durationMs }, async (on, atMs) => {
    await create(bench, on)
    latencies.create.push(nowMs() - atMs)
  })
  const reads = onSchedule(readers, { everyMs: plan.neighbourEveryMs, durationMs }, async (on, atMs) => {
    await untilAnswered(on, merchant.get(`/v1/payment_intents/${first}`), 200)
    latencies.read.push(nowMs() - atMs)
  })
  const pays = onSchedule(payers, { everyMs: plan.neighbourPayEveryMs, durationMs }, async (on) => {
    const id = await create(bench, on)
    const form = `payment_method_data[${CALLBACK_RAIL}][msisdn]=237670000001`
    confirmedMs.set(id, nowMs())
    await untilAnswered(on, merchant.post(`/v1/payment_intents/${id}/confirm`, form), 200)
    counted.payments += 1
  })
  await Promise.all([creates, reads, pays])
  await untilDelivered(bench)
  for (const { body, atMs } of await system.receivedSince(before)) {
    const sentMs = confirmedMs.get(intentOf(body))
    if (sentMs !== undefined) latencies['confirm to webhook'].push(atMs - sentMs)
  }
  for (const connection of sets.flat()) connection.close()
  return {
    create: percentile(latencies.create, P99),
    read: percentile(latencies.read, P99),
    'confirm to webhook': percentile(latencies['confirm to webhook'], P99),
  }
}

async function create({ merchant, counted }: Bench, connection: Connection): Promise<string> {
  const request = merchant.post('/v1/payment_intents', createForm(CALLBACK_RAIL), randomUUID())
  const body = await untilAnswered(connection, request, 201)
  counted.intents += 1
  return (JSON.parse(body) as { id: string }).id
}

/** Repeats the request with the same key until it succeeds, as a merchant does. The wait counts as latency. */
async function untilAnswered(connection: Connection, request: string, wanted: number): Promise<string> {
  const deadlineMs = nowMs() + RETRY_FOR_MS
  for (;;) {
    const reply = await connection.exchange(request)
    const refused = reply.status >= 500 || reply.body.includes('"idempotency_key_in_flight"')
    if (!refused || nowMs() > deadlineMs) {
      expectStatus(reply, wanted)
      return reply.body
    }
    await delay(RETRY_AFTER_MS)
  }
}

export const intentOf = (body: string): string =>
  (JSON.parse(body) as { data: { object: { id: string } } }).data.object.id
