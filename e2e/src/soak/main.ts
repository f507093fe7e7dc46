import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { findViolations } from '@merchant-payments/testing/invariants'
import { findRailViolations } from '@merchant-payments/testing/rail-truth'
import { createRandom } from '@merchant-payments/testing/random'
import { moveAhead, untilDrained } from '../../test/drain.ts'
import { disturb, Peaks } from './disturb.ts'
import { Latencies } from './latencies.ts'
import { planOf } from './plan.ts'
import { openShop, type Shop } from './shop.ts'
import { startSystem, type System } from './system.ts'

/** Payments under way at once. A run whose system falls this far behind does not start more. */
const UNDER_WAY_MAX = 1_000
const CHARGES_MAX = 500_000
const FAULTS_SHOWN_MAX = 20

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '20' },
    /** Payments a second. */
    rate: { type: 'string', default: '10' },
    /** Selects the processes that are killed. */
    seed: { type: 'string', default: '1' },
  },
})
const [minutes, rate, seed] = [Number(values.minutes), Number(values.rate), Number(values.seed)]
const startedAtMs = performance.now()
const say = (line: string) =>
  console.log(`${Math.round((performance.now() - startedAtMs) / 1_000)} s  ${line}`)

process.exitCode = (await main()) ? 0 : 1

async function main(): Promise<boolean> {
  const received: { readonly body: string }[] = []
  let shop: Shop | undefined
  const system = await startSystem((webhook) => {
    received.push(webhook)
    shop?.onWebhook(webhook)
  })
  const [latencies, peaks] = [new Latencies(), new Peaks()]
  try {
    shop = await openShop(system.stack, latencies)
    say(
      `${rate} payments a second for ${minutes} minutes, two replicas of ${system.release} behind haproxy, seed ${seed}`,
    )
    const skipped = await load(shop, { system, peaks })
    say('waiting until all work has ended')
    const faults = [...shop.errors, ...(await violationsOf(system, shop, received, peaks))]
    report(latencies, peaks, { shop, skipped, faults })
    return faults.length === 0 && skipped === 0
  } finally {
    await system.stop()
  }
}

/** Starts payments at fixed instants, however long each takes. @returns those that were not started */
async function load(shop: Shop, around: { system: System; peaks: Peaks }): Promise<number> {
  const until = performance.now() + minutes * 60_000
  const disturbed = disturb(planOf(minutes), { ...around, say, random: createRandom(seed) })
  const underWay = new Set<Promise<void>>()
  let skipped = 0
  for (let dueMs = performance.now(); dueMs < until; dueMs += 1_000 / rate) {
    await delay(Math.max(0, dueMs - performance.now()))
    if (underWay.size >= UNDER_WAY_MAX) {
      skipped += 1
      continue
    }
    const bought = shop.buy().finally(() => underWay.delete(bought))
    underWay.add(bought)
  }
  await disturbed
  await Promise.all(underWay)
  return skipped
}

/** The workers' clocks go ahead, so that nothing waits for a ladder. */
async function violationsOf(
  { stack, replicas }: System,
  { journal }: Shop,
  received: readonly { readonly body: string }[],
  peaks: Peaks,
): Promise<string[]> {
  for (const child of [...stack.apis, ...stack.workers]) await peaks.note(child)
  await moveAhead(stack, stack.workers)
  const databaseUrl = replicas.primary().url
  await untilDrained(databaseUrl)
  const { control } = stack.mockRails
  const { debits, debitsDropped } = await control.getLedger({ limit: CHARGES_MAX })
  if (debitsDropped > 0) return ['the ledger of the rail is not complete']
  return [
    ...(await findViolations({ databaseUrl, debits, credits: [], journal, received, endpoints: 1 })),
    ...(await findRailViolations(databaseUrl, await control.listCharges({ limit: CHARGES_MAX }))),
  ]
}

interface Outcome {
  readonly shop: Shop
  readonly skipped: number
  readonly faults: readonly string[]
}

function report(latencies: Latencies, peaks: Peaks, { shop, skipped, faults }: Outcome): void {
  console.table(
    latencies.summary().map(({ name, count, repeated, p50Ms, p99Ms, maxMs }) => ({
      of: name,
      count,
      repeated,
      'p50 ms': Math.round(p50Ms),
      'p99 ms': Math.round(p99Ms),
      'max ms': Math.round(maxMs),
    })),
  )
  for (const [name, mb] of peaks.all()) console.log(`memory of the ${name}, at most: ${mb} MB`)
  console.log(`confirms that a death interrupted, and whose charge went on: ${shop.interrupted()}`)
  console.log(`confirms whose charge the rail never saw, and that were repeated: ${shop.unseen()}`)
  if (skipped > 0) console.log(`payments that were not started, because too many were under way: ${skipped}`)
  for (const fault of faults.slice(0, FAULTS_SHOWN_MAX)) console.log(`FAULT ${fault}`)
  console.log(faults.length === 0 ? 'no errors and no violations' : `${faults.length} errors and violations`)
}
