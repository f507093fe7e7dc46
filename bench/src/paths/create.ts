import { randomUUID } from 'node:crypto'
import type { Bench } from '../bench.ts'
import { type Figure, figureOf } from '../figure.ts'
import { runPgbench, type Script } from '../floor/pgbench.ts'
import { createInFive, createInOne } from '../floor/scripts.ts'
import { captureStatements } from '../floor/statement.ts'
import { loopFor } from '../load/closed-loop.ts'
import { expectStatus } from '../load/merchant.ts'
import { startEmulate } from '../peers/emulate.ts'
import { type Contestant, interleave } from '../rounds.ts'
import { INSTANT_RAIL } from '../system/deployment.ts'
import { metered } from './processor.ts'

export const API_CONNECTIONS = 32

const OUR_DURABILITY = 'fsync, idempotent'
const FLOOR_DURABILITY = 'fsync, stores the key and the answer'

export const createForm = (rail: string): string =>
  `amount=1000&currency=XAF&payment_method_types[0]=${rail}&metadata[order]=42`

/** Measures a create through the API, against pgbench doing the same work, and emulate, which keeps it in memory. */
export async function measureCreate(bench: Bench): Promise<Figure[]> {
  const { merchant, plan, counted } = bench
  const connections = await merchant.connect(API_CONNECTIONS)
  const form = createForm(INSTANT_RAIL)
  const ours = metered(bench, 'a create', (durationMs) =>
    loopFor(connections, durationMs, async (connection) => {
      expectStatus(await connection.exchange(merchant.post('/v1/payment_intents', form)), 201)
      counted.intents += 1
    }),
  )
  const scripts = bench.pgbench === null ? null : await captureScripts(bench)
  const emulate = bench.isCompared ? null : await startEmulate(bench, { form, connections: API_CONNECTIONS })
  const rounds = await interleave(
    {
      ours: ours.contestant,
      five: scripts && floorOf(bench, scripts.five),
      one: scripts && floorOf(bench, scripts.one),
      emulate: emulate?.contestant ?? null,
    },
    { rounds: plan.rounds, durationMs: plan.roundMs, turn: bench.turn },
  )
  for (const connection of connections) connection.close()
  await emulate?.stop()
  return [
    figureOf({
      name: 'create / the same work in five statements',
      unit: '/s',
      ours: rounds.ours,
      peer: rounds.five,
      target: { ratioMin: 1.24 },
      durability: { ours: OUR_DURABILITY, peer: FLOOR_DURABILITY },
    }),
    figureOf({
      name: 'create / the same statement',
      unit: '/s',
      ours: rounds.ours,
      peer: rounds.one,
      target: { ratioMin: 0.58 },
      durability: { ours: OUR_DURABILITY, peer: FLOOR_DURABILITY },
    }),
    figureOf({
      name: 'create / emulate',
      unit: '/s',
      ours: rounds.ours,
      peer: rounds.emulate,
      durability: { ours: OUR_DURABILITY, peer: 'in memory, lost at exit, ignores Idempotency-Key' },
    }),
    ...ours.figures(),
  ]
}

export const floorOf =
  ({ pgbench, system, counted }: Bench, script: Script): Contestant =>
  async (durationMs) => {
    if (pgbench === null) throw new Error('no pgbench')
    const options = { folder: system.folder, durationMs }
    const floor = await runPgbench(pgbench, system.database.url, script, options)
    counted.floorIntents += floor.done
    return floor.perSecond
  }

/** Makes the floor scripts of a create from one that the API has just served. */
export async function captureScripts({
  system,
  merchant,
  counted,
}: Bench): Promise<{ five: Script; one: Script }> {
  const [connection] = await merchant.connect(1)
  if (connection === undefined) throw new Error('no connection')
  let key = ''
  let answer = ''
  const statements = await captureStatements(system.database, async () => {
    key = randomUUID()
    const reply = await connection.exchange(
      merchant.post('/v1/payment_intents', createForm(INSTANT_RAIL), key),
    )
    expectStatus(reply, 201)
    counted.intents += 1
    answer = reply.body
  })
  connection.close()
  const statement = statements.find(({ parameters }) => parameters.some((value) => value?.includes(key)))
  if (statement === undefined) throw new Error('no statement of the API holds the key of its request')
  return { five: createInFive(answer), one: createInOne(statement, { key }) }
}
