import { parseArgs } from 'node:util'
import { loadConfig, refuseFaults } from '@merchant-payments/config'
import { type Operator, systemClock } from '@merchant-payments/core'
import { type Database, findHoldFaults, requireSchema } from '@merchant-payments/db'
import { openRails } from '@merchant-payments/rails'
import { headLine, openDatabaseOf, operatorOf, runCommand, UsageError } from './command.ts'
import { FileError } from './lines.ts'
import { reconcile, type Report } from './reconcile.ts'
import { readSightings, type Sightings } from './sightings.ts'

const USAGE = `Usage: reconcile:rails <config.yaml> <file>... [--write --operator <name> --reason <text>] [--per-second <n>] [--allow-empty]
  <file>        log lines of the api and the worker, or an operator's statement (.csv: rail, kind, reference, amount, …);
                either may be packed (.gz)
  --write       record what is found, with an audit entry each; without it nothing is written
  --operator    who runs the command
  --reason      why, for the audit log; no names and no numbers of payers
  --per-second  status queries to each rail, 1 to 20; 5 without it
  --allow-empty accept files that name no reference`

/** docs/spec-gaps.md, restore: no operator publishes its limit. */
const PER_SECOND = 5
const PER_SECOND_MAX = 20
/** The exit code if a rail did not answer about each reference. */
const EXIT_UNANSWERED = 1

await runCommand(main)

async function main(): Promise<number> {
  const { configPath, paths, allowEmpty, perSecond, operator } = readArguments()
  const config = loadConfig(configPath, process.env)
  const rails = openRails(config.rails, systemClock)
  const db = openDatabaseOf(config)
  try {
    const say = (line: string) => console.log(line)
    const { sightings, files } = await readSightings(paths, new Set<string>(rails.keys()))
    for (const { path, references } of files) say(`${path}: ${references} references`)
    if (!allowEmpty) refuseEmpty(files)
    await requireSchema(db.reader)
    // A charge that is not held yet could be settled without its rail, and a finding about it would come too late.
    refuseFaults('database.url', await findHoldFaults(config.database.url.reveal()))
    const report = await reconcile({ db, rails, clock: systemClock, perSecond, operator, say }, sightings)
    for (const line of await summaryOf(db, report, operator)) console.log(line)
    return report.unavailable === 0 ? 0 : EXIT_UNANSWERED
  } finally {
    await Promise.all([db.close(), ...[...rails.values()].map((rail) => rail.close())])
  }
}

/** A file in a form that nobody expected looks like one without a payment, and its payments would stay lost. */
function refuseEmpty(files: Sightings['files']): void {
  const empty = files.filter(({ references }) => references === 0).map(({ path }) => path)
  if (empty.length > 0) {
    throw new FileError(
      `${empty.join(', ')}: no reference found. Look at the file. If it names none, use --allow-empty.`,
    )
  }
}

function readArguments() {
  const { values, positionals } = parsed()
  const [configPath, ...paths] = positionals
  const perSecond = Number(values['per-second'] ?? PER_SECOND)
  const isPace = Number.isInteger(perSecond) && perSecond >= 1 && perSecond <= PER_SECOND_MAX
  if (configPath === undefined || paths.length === 0 || !isPace) throw new UsageError(USAGE)
  const operator = values.write ? operatorOf(values, USAGE) : null
  return { configPath, paths, allowEmpty: values['allow-empty'], perSecond, operator }
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
        'allow-empty': { type: 'boolean', default: false },
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
