import type { Random } from '@merchant-payments/testing/random'
import { nextManners } from '@merchant-payments/testing/weather'
import { settle, type TestApi } from '../harness.ts'
import { Death, type Run } from './run.ts'

/** Far less than a request to a rail may take of the service's time before the worker takes it for lost. */
const TICK_MS = 1_000
/** Of the worker, at the same time: a rail that hangs holds up few of them. */
const PASSES_MAX = 8

export interface Time {
  /** Resolves when it has ticked so often. */
  readonly ticks: (count: number) => Promise<void>
  /** Time passes, and the weather changes, as long as the shops are open. */
  readonly passWhile: (random: Random, shopping: Promise<void>) => Promise<void>
}

export function createTime({ api, deaths, faultsMet }: Run): Time {
  const passes = new Set<Promise<unknown>>()
  let ticked = Promise.withResolvers<void>()

  async function tick(random: Random): Promise<void> {
    await change(api, random)
    // The mock remembers its newest calls only.
    if (random.chance(0.1)) await noteFaults()
    // A rail's clock is not ours: it stands still, goes as ours does, or faster.
    await api.mock.control.advanceClock(random.pick([0, TICK_MS, 3 * TICK_MS]))
    const pass = settle(api, TICK_MS, deaths.fault)
      .catch(survive)
      .finally(() => passes.delete(pass))
    passes.add(pass)
    do await Promise.race(passes)
    while (passes.size >= PASSES_MAX)
    ticked.resolve()
    ticked = Promise.withResolvers()
  }

  async function noteFaults(): Promise<void> {
    const calls = await api.mock.control.listCalls({ limit: 2_000 })
    for (const { fault } of calls) if (fault !== null) faultsMet.add(fault)
  }

  return {
    ticks: async (count) => {
      for (let n = 0; n < count; n += 1) await ticked.promise
    },
    passWhile: async (random, shopping) => {
      const shops = { open: true }
      const closed = shopping.finally(() => {
        shops.open = false
      })
      const run = async () => {
        while (shops.open) await tick(random)
        await Promise.all(passes)
      }
      await Promise.all([closed, run()])
      await noteFaults()
    },
  }
}

function survive(error: unknown): void {
  if (!(error instanceof Death)) throw error
}

async function change({ mock: { control } }: TestApi, random: Random): Promise<void> {
  if (random.chance(0.1)) await control.clearFaults()
  if (random.chance(0.1)) await control.revokeTokens()
  if (random.chance(0.5)) return
  const { mtn, orange } = nextManners(random)
  await control.updateSettings({
    mtn: { ...mtn, autoApproveAfterMs: random.pick([0, 500, 5_000]) },
    orange,
  })
}
