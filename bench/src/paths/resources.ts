import type { Bench } from '../bench.ts'
import { type Figure, figureOf } from '../figure.ts'
import { runPgbench, type Script } from '../floor/pgbench.ts'
import { loopFor, perSecond } from '../load/closed-loop.ts'
import type { Connection } from '../load/connection.ts'
import { openMerchant } from '../load/merchant.ts'
import { type Contestant, interleave } from '../rounds.ts'
import { DESK } from '../system/deployment.ts'
import { API_CONNECTIONS } from './create.ts'
import { untilDelivered } from './payments.ts'
import { createPaths, refundPath } from './resource-creates.ts'
import { readPaths } from './resource-reads.ts'

export interface Path {
  readonly name: string
  readonly send: (connection: Connection) => Promise<void>
  /** The same work for pgbench; null if it takes more than one statement. */
  readonly floor: Script | null
  readonly countFloor: (done: number) => void
}

/** Measures creates and reads of all resources but payment intents, most against the API's own statement. */
export async function measureResources(bench: Bench): Promise<Figure[]> {
  const desk = await openMerchant(bench, DESK)
  const connections = await desk.connect(API_CONNECTIONS)
  const paths = [
    ...(await createPaths(bench, desk, connections)),
    ...(await readPaths(bench, desk, connections)),
    await refundPath(bench),
  ]
  const figures: Figure[] = []
  for (const path of paths) figures.push(await measurePath(bench, connections, path))
  await untilDelivered(bench)
  for (const connection of connections) connection.close()
  return figures
}

async function measurePath(bench: Bench, connections: readonly Connection[], path: Path): Promise<Figure> {
  const { plan, pgbench, system } = bench
  const { name, send, floor, countFloor } = path
  const ours: Contestant = async (durationMs) => perSecond(await loopFor(connections, durationMs, send))
  const theirs: Contestant = async (durationMs) => {
    const options = { folder: system.folder, durationMs }
    const { done, perSecond } = await runPgbench(pgbench ?? '', system.database.url, floor as Script, options)
    countFloor(done)
    return perSecond
  }
  const isFloored = pgbench !== null && floor !== null
  const rounds = await interleave(
    { ours, floor: isFloored ? theirs : null },
    { rounds: plan.resourceRounds, durationMs: plan.resourceRoundMs, turn: bench.turn },
  )
  const against = floor === null ? '' : ' / the same statement'
  return figureOf({ name: `${name}${against}`, unit: '/s', ours: rounds.ours, peer: rounds.floor })
}
