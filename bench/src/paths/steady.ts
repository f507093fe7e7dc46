import type pg from 'pg'
import type { Bench } from '../bench.ts'
import { type Figure, figureOf, type Unit } from '../figure.ts'
import { workForRound } from './neighbour-load.ts'

/** What the end may have of the start: a wait a quarter longer, or a quarter more of dead rows and disk. */
const TARGET = { ratioMin: 0.8 }
/** A checkpoint in each sixth part of half an hour, as PostgreSQL makes them by default. */
const CHECKPOINTS = '5min'
const KB = 1_000
const TABLES_SHOWN = 6

interface Minute {
  readonly name: string
  readonly unit: Unit
  readonly value: number
}

/**
 * Payments, creates and reads at a constant rate, with PostgreSQL's vacuum and checkpoints. Compares the last third of the
 * minutes with the first: waits, dead rows, the queues' disk, and what a payment adds to the disk.
 */
export async function measureSteady(bench: Bench, minutes: number): Promise<Figure[]> {
  const { client } = bench.system.database
  await client.query(`alter system set checkpoint_timeout = '${CHECKPOINTS}'`)
  await client.query('select pg_reload_conf()')
  const plan = {
    ...bench.plan,
    neighbourEveryMs: bench.plan.steadyEveryMs,
    neighbourPayEveryMs: bench.plan.steadyEveryMs,
  }
  const seen: Minute[][] = []
  // The first minute warms up.
  for (let minute = 0; minute <= minutes; minute += 1) {
    const figures = await measureMinute({ ...bench, plan }, client)
    if (minute > 0) seen.push(figures)
    console.error(figures.map(({ name, unit, value }) => `${name} ${value.toFixed(1)} ${unit}`).join(', '))
    console.error(await deadRowsByTable(client))
  }
  const third = Math.max(1, Math.floor(seen.length / 3))
  const [first = []] = seen
  return first.map(({ name, unit }, n) => {
    const values = seen.map((figures) => figures[n]?.value ?? Number.NaN)
    return figureOf({
      name,
      unit,
      ours: values.slice(-third),
      peer: values.slice(0, third),
      target: TARGET,
    })
  })
}

async function measureMinute(bench: Bench, client: pg.Client): Promise<Minute[]> {
  const { intents, payments } = bench.counted
  const before = await readDisk(client)
  const waits = await workForRound(bench, bench.plan.steadyMinuteMs)
  const after = await readDisk(client)
  const made = bench.counted.intents - intents + (bench.counted.payments - payments)
  return [
    ...Object.entries(waits).map(([name, value]) => ({ name: `${name} p99`, unit: 'ms' as const, value })),
    { name: 'dead rows', unit: 'rows', value: after.dead },
    { name: 'disk of the queues', unit: 'KB', value: after.queues / KB },
    { name: 'disk for an intent or a charge', unit: 'KB', value: (after.all - before.all) / made / KB },
  ]
}

/** The tables with the most dead rows, with their living rows. */
async function deadRowsByTable(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ name: string; dead: number; live: number }>(`
    select relname as name, n_dead_tup::float8 as dead, n_live_tup::float8 as live
    from pg_stat_user_tables where n_dead_tup > 0 order by n_dead_tup desc limit ${TABLES_SHOWN}`)
  return `dead rows: ${rows.map(({ name, dead, live }) => `${name} ${dead} beside ${live}`).join(', ')}`
}

interface Disk {
  readonly all: number
  readonly queues: number
  readonly dead: number
}

async function readDisk(client: pg.Client): Promise<Disk> {
  const { rows } = await client.query<Disk>(`
    select pg_database_size(current_database())::float8 as "all", sum(n_dead_tup)::float8 as dead,
      sum(pg_total_relation_size(relid)) filter (
        where relname in ('charge_jobs', 'fanout_jobs', 'delivery_jobs'))::float8 as queues
    from pg_stat_user_tables`)
  const [disk] = rows
  if (disk === undefined) throw new Error('the disk was not measured')
  return disk
}
