import { parseArgs } from 'node:util'
import { loadConfig } from '@merchant-payments/config'
import { type Operator, systemClock } from '@merchant-payments/core'
import { type Database, requireSchema } from '@merchant-payments/db'
import { openRails } from '@merchant-payments/rails'
import { headLine, openDatabaseOf, operatorOf, runCommand, UsageError } from './command.ts'
import { reconcile, type Report } from './reconcile.ts'
import { readSightings } from './sightings.ts'

const USAGE = `Usage: reconcile:rails <config.yaml> <file>... [--write --operator <name> --reason <text>] [--per-second <n>]
  <file>        log lines of the api and the worker, or an operator's statement (.csv: rail, kind, reference, amount, …)
  --write       record what is found, with an audit entry each; without it nothing is written
  --operator    who runs the command
  --reason      why, for the audit log; no names and no numbers of payers
  --per-second  status queries to each rail, 1 to 20; 5 without it`

/** docs/spec-gaps.md, restore: no operator publishes its limit. */
const PER_SECOND = 5
const PER_SECOND_MAX = 20
/** The exit code if a rail did not answer about each reference. */
const EXIT_UNANSWERED = 1

await runCommand(main)

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
  if (configPath === undefined || files.length === 0 || !isPace) throw new UsageError(USAGE)
  return { configPath, files, perSecond, operator: values.write ? operatorOf(values, USAGE) : null }
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
    throw new UsageError(USAGE)
  }
}

async function summaryOf(db: Database, report: Report, operator: Operator | null): Promise<string[]> {
  const { known, recordedBefore, asked, unasked, unavailable, recorded, entry } = report
  const counts = `${known} known, ${recordedBefore} recorded before, ${asked} asked about, ${recorded} recorded`
  return [
    counts,
    ...(unasked === 0 ? [] : [`${unasked} cannot be asked about: the statement of their rail decides.`]),
    ...(operator === null ? ['This was a dry run: nothing was written. Use --write to record.'] : []),
    ...(entry === null ? [] : [await headLine(db, entry)]),
    ...(unavailable === 0 ? [] : [`The rail did not answer about ${unavailable}: run the command again.`]),
  ]
}
