import { setTimeout } from 'node:timers/promises'
import type { Bench } from '../bench.ts'
import { type Figure, figureOf } from '../figure.ts'
import { loopFor, perSecond } from '../load/closed-loop.ts'
import { type Merchant, openMerchant } from '../load/merchant.ts'
import { type Contestant, interleave } from '../rounds.ts'
import { CROWD } from '../system/deployment.ts'
import { API_CONNECTIONS } from './create.ts'
import { post } from './resource-creates.ts'

/** A busy merchant loses a twentieth at most to the lock of its counter of events. */
const TARGET = { ratioMin: 0.95 }

/**
 * Creates customers of one merchant, and of eight. Each create writes an event, whose position comes from the merchant's
 * counter, so those of one merchant wait for each other's commits. The api gives a merchant a smaller share while
 * others send requests, so each round begins once it has forgotten the round before.
 */
export async function measureCounter(bench: Bench): Promise<Figure[]> {
  const { plan, counted } = bench
  const merchants = await Promise.all(CROWD.map((id) => openMerchant(bench, id)))
  const [one] = merchants as [Merchant]
  const connections = await one.connect(API_CONNECTIONS)
  const ofConnection = new Map(
    connections.map((connection, n) => [connection, merchants[n % merchants.length]]),
  )
  const creating =
    (of: (merchant: Merchant | undefined) => Merchant): Contestant =>
    async (durationMs) => {
      await setTimeout(plan.counterPauseMs)
      const load = await loopFor(connections, durationMs, async (connection) => {
        const merchant = of(ofConnection.get(connection))
        await post(connection, merchant, '/v1/customers', 'name=Awa&phone=237670000001')
        counted.crowdCustomers += 1
      })
      return perSecond(load)
    }
  const rounds = await interleave(
    { one: creating(() => one), eight: creating((merchant = one) => merchant) },
    { rounds: plan.rounds, durationMs: plan.roundMs, turn: bench.turn },
  )
  for (const connection of connections) connection.close()
  return [
    figureOf({
      name: 'create of customers by one merchant / by eight',
      unit: '/s',
      ours: rounds.one,
      peer: rounds.eight,
      target: TARGET,
    }),
  ]
}
