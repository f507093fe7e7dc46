import { writeFile } from 'node:fs/promises'
import type { Bench } from './bench.ts'
import type { Figure } from './figure.ts'
import { findPgbench } from './floor/pgbench.ts'
import { openMerchant } from './load/merchant.ts'
import { describeMachine } from './machine.ts'
import { type Options, parseOptions } from './options.ts'
import { measuredPaths } from './paths/index.ts'
import { measureMemory, measureRest } from './paths/memory.ts'
import { renderReport, type Report } from './report.ts'
import { audit, nothingCounted } from './system/audit.ts'
import { createClosers } from './system/closers.ts'
import { startSystem } from './system/system.ts'

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

async function main({ plan, paths, noises, nodes, json, cpuProf }: Options): Promise<number> {
  const pgbench = await findPgbench()
  if (pgbench === null)
    console.error(
      'pgbench was not found, so the ratios to the database are missing. Install PostgreSQL’s client programs to get them.',
    )
  console.error('starting PostgreSQL, the API and the worker')
  const system = await startSystem(closers, cpuProf)
  const counted = nothingCounted()
  const merchant = await openMerchant(system)
  counted.tokens += 1
  const bench: Bench = { system, merchant, pgbench, plan, noises, nodes, counted, writes: null, closers }
  const atRest = await measureRest(bench)
  const figures: Figure[] = []
  for (const name of paths) {
    console.error(`measuring ${name}`)
    figures.push(...(await measuredPaths[name](bench)))
  }
  figures.push(...(await measureMemory(bench, atRest)))

  console.error('auditing')
  const unbalanced = await audit(system, counted)
  if (unbalanced.length > 0) {
    console.error(['VOID: the ledger of this run does not balance.', ...unbalanced].join('\n'))
    return EXIT_VOID
  }
  const report: Report = { machine: await describeMachine(system), figures, writes: bench.writes }
  console.log(renderReport(report))
  if (json !== null) await writeFile(json, `${JSON.stringify(report, null, 2)}\n`)
  return 0
}
