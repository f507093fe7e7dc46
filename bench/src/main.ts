import { writeFile } from 'node:fs/promises'
import type { Bench } from './bench.ts'
import type { Figure } from './figure.ts'
import { compareGrown } from './grown.ts'
import { findPgbench } from './floor/pgbench.ts'
import { openMerchant } from './load/merchant.ts'
import { describeMachine } from './machine.ts'
import { type Options, parseOptions } from './options.ts'
import { measuredPaths } from './paths/index.ts'
import { measureMemory, measureRest } from './paths/memory.ts'
import { renderReport, type Report } from './report.ts'
import { audit, nothingCounted } from './system/audit.ts'
import { createClosers } from './system/closers.ts'
import { forgetGrown, growTables } from './system/grown.ts'
import { startSystem } from './system/system.ts'
import { alone } from './turns.ts'

/** The exit code of a run whose ledger does not balance. Its figures are not printed. */
const EXIT_VOID = 3

const closers = createClosers()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => void closers.close().finally(() => process.exit(1)))
}
try {
  process.exitCode = await main(parseOptions(process.argv.slice(2)))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  await closers.close()
}

async function main(options: Options): Promise<number> {
  const { json, grown, cpuProf } = options
  const pgbench = grown === null ? await findPgbench() : null
  if (pgbench === null && grown === null)
    console.error(
      'pgbench was not found, so the ratios to the database are missing. Install PostgreSQL’s client programs to get them.',
    )
  console.error('starting PostgreSQL, the API and the worker')
  const bench = await openBench(options, pgbench, cpuProf)
  const { figures, unbalanced } =
    grown === null ? await measure(bench, options) : await measureGrown(bench, options, grown)
  if (unbalanced.length > 0) {
    console.error(['VOID: the ledger of this run does not balance.', ...unbalanced].join('\n'))
    return EXIT_VOID
  }
  const report: Report = {
    machine: await describeMachine(bench.system),
    figures,
    writes: bench.writes,
    grown,
  }
  console.log(renderReport(report))
  if (json !== null) await writeFile(json, `${JSON.stringify(report, null, 2)}\n`)
  return 0
}

interface Measured {
  readonly figures: readonly Figure[]
  readonly unbalanced: readonly string[]
}

async function openBench(
  { plan, noises, nodes }: Options,
  pgbench: string | null,
  cpuProf: string | null,
): Promise<Bench> {
  const system = await startSystem(closers, cpuProf)
  const counted = nothingCounted()
  const merchant = await openMerchant(system)
  counted.tokens += 1
  return { system, merchant, pgbench, plan, noises, nodes, counted, writes: null, turn: alone, closers }
}

async function measure(bench: Bench, { paths }: Options): Promise<Measured> {
  const atRest = await measureRest(bench)
  const figures: Figure[] = []
  for (const name of paths) {
    console.error(`measuring ${name}`)
    figures.push(...(await measuredPaths[name](bench)))
  }
  figures.push(...(await measureMemory(bench, atRest)))
  console.error('auditing')
  return { figures, unbalanced: await audit(bench.system, bench.counted) }
}

async function measureGrown(empty: Bench, options: Options, rows: number): Promise<Measured> {
  const grown = await openBench(options, null, null)
  console.error(`inserting ${rows} rows of each kind`)
  await growTables(grown.system.database.client, rows)
  const figures: Figure[] = []
  for (const name of options.paths) {
    console.error(`measuring ${name}`)
    figures.push(...(await compareGrown(empty, grown, name)))
  }
  console.error('auditing')
  await forgetGrown(grown.system.database.client, rows)
  const unbalanced: string[] = []
  for (const { system, counted } of [empty, grown]) unbalanced.push(...(await audit(system, counted)))
  return { figures, unbalanced }
}
