import { writeFile } from 'node:fs/promises'
import type { Bench } from './bench.ts'
import type { Figure, Target } from './figure.ts'
import { compare, GROWN_TARGET } from './compared.ts'
import { findPgbench } from './floor/pgbench.ts'
import { openMerchant } from './load/merchant.ts'
import { describeMachine } from './machine.ts'
import { type Options, parseOptions } from './options.ts'
import { measuredPaths } from './paths/index.ts'
import { measureMemory, measureRest } from './paths/memory.ts'
import { measureStaff } from './paths/staff.ts'
import { measureSteady } from './paths/steady.ts'
import { type Compared, renderReport, type Report } from './report.ts'
import { audit, nothingCounted } from './system/audit.ts'
import { createClosers } from './system/closers.ts'
import { forgetGrown, growTables } from './system/grown.ts'
import { startOtherCheckout } from './system/other-checkout.ts'
import { fillStaffLedger, smallMerchants } from './system/staff-ledger.ts'
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
  console.error(error instanceof Error ? messagesOf(error).join(': ') : error)
  process.exitCode = 1
} finally {
  await closers.close()
}

async function main(options: Options): Promise<number> {
  const { json, cpuProf } = options
  const compares = isComparison(options)
  const pgbench = compares ? null : await findPgbench()
  if (pgbench === null && !compares)
    console.error(
      'pgbench was not found, so the ratios to the database are missing. Install PostgreSQL’s client programs to get them.',
    )
  console.error('starting PostgreSQL, the API and the worker')
  const bench = await openBench(options, {
    pgbench,
    cpuProf,
    replicas: 1,
    otherMerchants: options.staffPayments === null ? [] : smallMerchants,
  })
  const { figures, unbalanced, compared } = await measureBy(bench, options)
  if (unbalanced.length > 0) {
    console.error(['VOID: the ledger of this run does not balance.', ...unbalanced].join('\n'))
    return EXIT_VOID
  }
  const report: Report = {
    machine: await describeMachine(bench.system),
    figures,
    writes: bench.writes,
    compared,
  }
  console.log(renderReport(report))
  if (json !== null) await writeFile(json, `${JSON.stringify(report, null, 2)}\n`)
  return 0
}

/** The message of an error and those of its causes, because `fetch` says why it failed only in a cause. */
function messagesOf(error: unknown): string[] {
  return error instanceof Error ? [error.message, ...messagesOf(error.cause)] : []
}

function isComparison({ grown, replicas, steadyMinutes, staffPayments, against }: Options): boolean {
  return [grown, replicas, steadyMinutes, staffPayments, against].some((option) => option !== null)
}

interface Measured {
  readonly figures: readonly Figure[]
  readonly unbalanced: readonly string[]
  readonly compared: Compared | null
}

interface BenchOptions {
  readonly pgbench: string | null
  readonly cpuProf: string | null
  readonly replicas: number
  readonly otherMerchants?: readonly string[]
}

async function openBench(options: Options, { pgbench, cpuProf, ...parts }: BenchOptions): Promise<Bench> {
  const { plan, noises, nodes } = options
  const system = await startSystem(closers, { cpuProfiles: cpuProf, ...parts })
  const counted = nothingCounted()
  const merchant = await openMerchant({ system, counted, closers })
  return {
    system,
    merchant,
    pgbench,
    isCompared: isComparison(options),
    plan,
    noises,
    nodes,
    counted,
    writes: null,
    turn: alone,
    closers,
  }
}

function measureBy(bench: Bench, options: Options): Promise<Measured> {
  const { grown, replicas, steadyMinutes, staffPayments, against } = options
  if (staffPayments !== null) return measureStaffOf(bench, staffPayments)
  if (against !== null) return measureAgainst(bench, options, against)
  if (grown !== null) return measureGrown(bench, options, grown)
  if (replicas !== null) return measureReplicas(bench, options, replicas)
  return steadyMinutes === null ? measure(bench, options) : measureMinutes(bench, steadyMinutes)
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
  return { figures, unbalanced: await audit(bench.system, bench.counted), compared: null }
}

async function measureGrown(empty: Bench, options: Options, rows: number): Promise<Measured> {
  const grown = await openBench(options, { pgbench: null, cpuProf: null, replicas: 1 })
  console.error(`inserting ${rows} rows of each kind`)
  await growTables(grown.system.database.client, rows)
  const figures = await compareAll(grown, empty, options, GROWN_TARGET)
  console.error('auditing')
  await forgetGrown(grown.system.database.client, rows)
  const unbalanced = await auditAll([empty, grown])
  return { figures, unbalanced, compared: { ours: `${rows} rows of each kind`, peer: 'empty' } }
}

async function measureReplicas(one: Bench, options: Options, count: number): Promise<Measured> {
  const several = await openBench(options, { pgbench: null, cpuProf: null, replicas: count })
  // It depends on the machine's cores which of the two is faster, so there is no target.
  const figures = await compareAll(several, one, options, null)
  console.error('auditing')
  const unbalanced = await auditAll([one, several])
  return { figures, unbalanced, compared: { ours: `${count} apis, ${count} workers`, peer: 'one of each' } }
}

async function measureAgainst(ours: Bench, options: Options, folder: string): Promise<Measured> {
  const { system, audit: auditOther } = await startOtherCheckout(folder, closers)
  const counted = nothingCounted()
  const merchant = await openMerchant({ system, counted, closers })
  const other: Bench = { ...ours, system, merchant, counted }
  const figures = await compareAll(ours, other, options, null)
  console.error('auditing')
  const unbalanced = [...(await audit(ours.system, ours.counted)), ...(await auditOther(system, counted))]
  return { figures, unbalanced, compared: { ours: 'this checkout', peer: folder } }
}

async function measureMinutes(bench: Bench, minutes: number): Promise<Measured> {
  const figures = await measureSteady(bench, minutes)
  console.error('auditing')
  return {
    figures,
    unbalanced: await audit(bench.system, bench.counted),
    compared: { ours: `last third of ${minutes} minutes`, peer: 'first third' },
  }
}

async function measureStaffOf(bench: Bench, payments: number): Promise<Measured> {
  // It would count the payments that are inserted.
  await bench.system.worker.stop()
  console.error(`inserting ${payments} payments`)
  const ledger = await fillStaffLedger(bench.system.database.client, payments)
  console.error('measuring the reads of staff')
  // Nothing is written, so there is nothing to audit.
  return { figures: await measureStaff(bench, ledger), unbalanced: [], compared: null }
}

async function compareAll(
  ours: Bench,
  peer: Bench,
  { paths }: Options,
  target: Target | null,
): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const name of paths) {
    console.error(`measuring ${name}`)
    figures.push(...(await compare({ ours, peer }, name, target)))
  }
  return figures
}

async function auditAll(benches: readonly Bench[]): Promise<string[]> {
  const unbalanced: string[] = []
  for (const { system, counted } of benches) unbalanced.push(...(await audit(system, counted)))
  return unbalanced
}
