import type { Random } from '@merchant-payments/testing/random'
import { settle } from '../harness.ts'
import { Death, type Run } from './run.ts'

/** Far below the time after which the worker counts a request to a rail as lost. */
const TICK_MS = 1_000
/** Passes of the worker that run at once, because a rail that hangs blocks a few of them. */
const PASSES_MAX = 8

export interface Time {
  /** Resolves after this many ticks. */
  readonly ticks: (count: number) => Promise<void>
  /** Advances both clocks and runs the worker while the shops are open. */
  readonly passWhile: (random: Random, shopping: Promise<void>) => Promise<void>
}

export function createTime({ api, deaths }: Run): Time {
  const passes = new Set<Promise<unknown>>()
  let ticked = Promise.withResolvers<void>()

  async function tick(random: Random): Promise<void> {
    // A rail's clock differs from ours: it stands still, runs equally, or runs faster.
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
    },
  }
}

function survive(error: unknown): void {
  if (!(error instanceof Death)) throw error
}
