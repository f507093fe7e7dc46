import { setTimeout as delay } from 'node:timers/promises'
import type { Bench } from '../bench.ts'
import { nowMs } from '../clock.ts'
import { type Figure, figureOf } from '../figure.ts'
import { percentile } from '../rounds.ts'
import { CALLBACK_RAIL } from '../system/deployment.ts'
import { intentOf } from './neighbour-load.ts'
import { pay, untilDelivered } from './payments.ts'
import { measureProcessorAtRest } from './processor.ts'

/**
 * Measures the time from a confirm to its webhook, one payer at a time. The rail decides a moment later and
 * calls back. Each confirm has a fixed instant, and latency counts from it, even if it was sent later.
 */
export async function measureLatency(bench: Bench): Promise<Figure[]> {
  const { merchant, plan, system } = bench
  const scheduledMs = new Map<string, number>()
  await bench.turn(async () => {
    // In the turn, because the API ends a connection that waits for long.
    const [connection] = await merchant.connect(1)
    if (connection === undefined) throw new Error('no connection')
    const startMs = nowMs() + plan.latencyEveryMs
    for (let n = 0; n < plan.latencyPayments; n += 1) {
      const atMs = startMs + n * plan.latencyEveryMs
      const id = await pay(bench, connection, CALLBACK_RAIL, () => delay(Math.max(0, atMs - nowMs())))
      scheduledMs.set(id, atMs)
    }
    await untilDelivered(bench)
    connection.close()
  })
  const { received } = await system.evidence()
  const latenciesMs = received.flatMap(({ body, atMs }) => {
    const sentMs = scheduledMs.get(intentOf(body))
    return sentMs === undefined ? [] : [atMs - sentMs]
  })
  const waits = [
    { name: 'confirm to webhook, median', part: 0.5, max: 100 },
    { name: 'confirm to webhook, 99th percentile', part: 0.99, max: 200 },
  ].map(({ name, part, max }) =>
    figureOf({ name, unit: 'ms', ours: [percentile(latenciesMs, part)], target: { max } }),
  )
  // Beside another system, which is measured meanwhile, nothing rests.
  return bench.isCompared ? waits : [...waits, ...(await measureProcessorAtRest(bench))]
}
