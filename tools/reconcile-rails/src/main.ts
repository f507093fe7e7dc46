import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { type Config, ConfigError, exitOnFaults, loadConfig } from '@merchant-payments/config'
import { getAuditSeal, type Operator, systemClock } from '@merchant-payments/core'
import { type Database, openDatabase, requireSchema } from '@merchant-payments/db'
import { openRails } from '@merchant-payments/rails'
import { reconcile, type Report } from './reconcile.ts'
import { FileError, readSightings } from './sightings.ts'

const USAGE = `Usage: reconcile:rails <config.yaml> <file>... [--write --operator <name> --reason <text>] [--per-second <n>]
  <file>        log lines of the api and the worker, or an operator's statement (.csv: rail, kind, reference, amount, …)
  --write       record what is found, with an audit entry each; without it nothing is written
  --operator    who runs the command
  --reason      why, for the audit log; no names and no numbers of payers
  --per-second  status queries to each rail, 1 to 20; 5 without it`

/** docs/spec-gaps.md, restore: no operator publishes its limit. */
const PER_SECOND = 5
const PER_SECOND_MAX = 20
/** As the audit log's own constraint. */
const REASON_CHARS_MAX = 500
const NAME_CHARS_MAX = 100

/** The exit codes: a rail did not answer about each reference, and the command could not run. */
const EXIT_UNANSWERED = 1
const EXIT_NOT_RUN = 2

class UsageError extends Error {
  override readonly message = USAGE
}

process.exitCode = await main().catch((error: unknown) => {
  if (error instanceof ConfigError) return exitOnFaults(error)
  console.error(error instanceof UsageError || error instanceof FileError ? error.message : error)
  return EXIT_NOT_RUN
})

async function main(): Promise<number> {
  const { configPath, files, perSecond, operator } = readArguments()
  const config = loadConfig(configPath, process.env)
  const rails = openRails(config.rails, systemClock)
  const db = openDatabaseOf(config)
  try {
    const sightings = await readSightings(files, new Set<string>(rails.keys()))
    await requireSchema(db.reader)
    const say = (line: string) => console.log(line)
    const report = await reconcile({ db, rails, clock: systemClock, perSecond, operator, say }, sightings)
    for (const line of await summaryOf(db, report, operator)) console.log(line)
    return report.unavailable === 0 ? 0 : EXIT_UNANSWERED
  } finally {
    await Promise.all([db.close(), ...[...rails.values()].map((rail) => rail.close())])
  }
}

function readArguments() {
  const { values, positionals } = parsed()
  const [configPath, ...files] = positionals
  const perSecond = Number(values['per-second'] ?? PER_SECOND)
  const isPace = Number.isInteger(perSecond) && perSecond >= 1 && perSecond <= PER_SECOND_MAX
  if (configPath === undefined || files.length === 0 || !isPace) throw new UsageError()
  return { configPath, files, perSecond, operator: operatorOf(values) }
}

function parsed() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        write: { type: 'boolean', default: false },
        operator: { type: 'string' },
        reason: { type: 'string' },
        'per-second': { type: 'string' },
      },
    })
  } catch {
    throw new UsageError()
  }
}

function operatorOf({ write, operator: name, reason }: ReturnType<typeof parsed>['values']): Operator | null {
  if (!write) return null
  const isNamed = name !== undefined && name.trim() !== '' && name.length <= NAME_CHARS_MAX
  const isReasoned = reason !== undefined && reason.trim() !== '' && reason.length <= REASON_CHARS_MAX
  if (!isNamed || !isReasoned) throw new UsageError()
  return { name, reason, requestId: `reconcile-${randomUUID()}` }
}

function openDatabaseOf({ database }: Config): Database {
  return openDatabase({
    url: database.url.reveal(),
    poolSize: 2,
    readConnections: 0,
    applicationName: 'merchant-payments-reconcile-rails',
    namedStatements: database.namedStatements,
    onConnectionLost: () => undefined,
  })
}

async function summaryOf({ reader }: Database, report: Report, operator: Operator | null): Promise<string[]> {
  const { known, recordedBefore, asked, unasked, unavailable, recorded, entry } = report
  const counts = `${known} known, ${recordedBefore} recorded before, ${asked} asked about, ${recorded} recorded`
  const seal = entry === null ? null : await getAuditSeal(reader, entry)
  return [
    counts,
    ...(unasked === 0 ? [] : [`${unasked} cannot be asked about: the statement of their rail decides.`]),
    ...(operator === null ? ['This was a dry run: nothing was written. Use --write to record.'] : []),
    ...(seal === null ? [] : [`The audit log's head is ${seal.position}:${seal.hash} or later.`]),
    ...(unavailable === 0 ? [] : [`The rail did not answer about ${unavailable}: run the command again.`]),
  ]
}
