import { randomInt, randomUUID } from 'node:crypto'
import type { Bench } from '../bench.ts'
import { type Figure, figureOf } from '../figure.ts'
import { runPgbench, type Script } from '../floor/pgbench.ts'
import { loopFor } from '../load/closed-loop.ts'
import type { Connection } from '../load/connection.ts'
import { expectStatus } from '../load/merchant.ts'
import { type Contestant, interleave } from '../rounds.ts'
import { INSTANT_RAIL, MERCHANT } from '../system/deployment.ts'
import { API_CONNECTIONS, createForm } from './create.ts'
import { metered } from './processor.ts'

/**
 * Intents that both the API and pgbench read. Their ids end in twelve decimal digits, so that pgbench can
 * name one.
 */
const SEEDED = 10_000
/** The ids are of this hour, because the worker counts every hour between the oldest payment and now. */
const ID_PREFIX = `${Date.now().toString(16).padStart(12, '0')}70008000`
const FIRST_NUMBER = 100_000_000_000
const REPLAYED_KEYS = 500

/**
 * Measures a retrieve against pgbench's read of the same row, and a replay of an idempotent create against
 * the retrieve.
 */
export async function measureRead(bench: Bench): Promise<Figure[]> {
  const { merchant, plan, system, pgbench } = bench
  await seedIntents(bench)
  const connections = await merchant.connect(API_CONNECTIONS)
  const replay = await prepareReplays(bench, connections)
  const retrieve = metered(bench, 'a retrieve', (durationMs) =>
    loopFor(connections, durationMs, async (connection) => {
      const id = `pi_${ID_PREFIX}${FIRST_NUMBER + randomInt(SEEDED)}`
      expectStatus(await connection.exchange(merchant.get(`/v1/payment_intents/${id}`)), 200)
    }),
  )
  const floor: Contestant = async (durationMs) => {
    if (pgbench === null) throw new Error('no pgbench')
    const options = { folder: system.folder, durationMs }
    return (await runPgbench(pgbench, system.database.url, readScript, options)).perSecond
  }
  const replays = metered(bench, 'a replay', (durationMs) => loopFor(connections, durationMs, replay))
  const rounds = await interleave(
    { retrieve: retrieve.contestant, replays: replays.contestant, floor: pgbench === null ? null : floor },
    { rounds: plan.rounds, durationMs: plan.roundMs, turn: bench.turn },
  )
  for (const connection of connections) connection.close()
  return [
    figureOf({
      name: 'retrieve / read by key',
      unit: '/s',
      ours: rounds.retrieve,
      peer: rounds.floor,
      target: { ratioMin: 0.23 },
    }),
    figureOf({
      name: 'replay of a create / retrieve',
      unit: '/s',
      ours: rounds.replays,
      peer: rounds.retrieve,
      target: { ratioMin: 1 },
    }),
    ...retrieve.figures(),
    ...replays.figures(),
  ]
}

const readScript: Script = {
  name: 'read',
  text: `\\set number random(${FIRST_NUMBER}, ${FIRST_NUMBER + SEEDED - 1})
select * from payment_intents where merchant_id = :merchant and id = (:prefix::text || :number::text)::uuid;
`,
  values: { merchant: MERCHANT, prefix: ID_PREFIX },
}

async function seedIntents({ system, counted }: Bench): Promise<void> {
  await system.database.client.query(
    `insert into payment_intents
       (merchant_id, id, amount, currency, status, payment_method_types, metadata, client_secret, livemode)
     select $1, ($2::text || n::text)::uuid, 1000, 'XAF', 'requires_payment_method', array[$3], '{"order":"42"}',
       'secret', false
     from generate_series($4::bigint, $4::bigint + $5 - 1) as n`,
    [MERCHANT, ID_PREFIX, INSTANT_RAIL, FIRST_NUMBER, SEEDED],
  )
  await system.database.client.query('vacuum (analyze) payment_intents')
  counted.seededIntents += SEEDED
}

async function prepareReplays({ merchant, counted }: Bench, connections: readonly Connection[]) {
  const [connection] = connections
  if (connection === undefined) throw new Error('no connection')
  const post = (key: string) => merchant.post('/v1/payment_intents', createForm(INSTANT_RAIL), key)
  const first: { key: string; body: string }[] = []
  for (let n = 0; n < REPLAYED_KEYS; n += 1) {
    const key = randomUUID()
    const reply = await connection.exchange(post(key))
    expectStatus(reply, 201)
    counted.intents += 1
    first.push({ key, body: reply.body })
  }
  return async (on: Connection): Promise<void> => {
    const { key, body } = first[randomInt(first.length)] ?? { key: '', body: '' }
    const reply = await on.exchange(post(key))
    expectStatus(reply, 201)
    if (reply.body !== body) throw new Error('a replay differs from the first answer')
  }
}
