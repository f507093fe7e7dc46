import { loadConfig } from '@merchant-payments/config'
import { closeFinding, type FindingKey, type RailCode, systemClock } from '@merchant-payments/core'
import { requireSchema } from '@merchant-payments/db'
import { headLine, openDatabaseOf, parseArguments, runCommand, UsageError } from './command.ts'
import { lowerIfUuid } from './sightings.ts'

const USAGE = `Usage: finding:close <config.yaml> <rail> <charge|payout> <reference> --operator <name> --reason <text>
  --operator  who decided
  --reason    what was decided, for the audit log; no names and no numbers of payers`

const EXIT_NOT_OPEN = 1

await runCommand(async () => {
  const { configPath, finding, operator } = readArguments()
  const db = openDatabaseOf(loadConfig(configPath, process.env))
  try {
    await requireSchema(db.reader)
    const what = `${finding.rail} ${finding.kind} ${finding.reference}`
    const entry = await closeFinding({ db, clock: systemClock }, finding, operator)
    if (entry === null) {
      console.error(`${what}: no open finding has this name`)
      return EXIT_NOT_OPEN
    }
    console.log(`${what}: closed, recorded as ${entry}`)
    console.log(await headLine(db, entry))
    return 0
  } finally {
    await db.close()
  }
})

function readArguments() {
  const { positionals, operator } = parseArguments(USAGE)
  const [configPath, rail, kind, reference, ...others] = positionals
  const isKind = kind === 'charge' || kind === 'payout'
  if (
    configPath === undefined ||
    rail === undefined ||
    !isKind ||
    reference === undefined ||
    others.length > 0
  )
    throw new UsageError(USAGE)
  const finding: FindingKey = { rail: rail as RailCode, kind, reference: lowerIfUuid(reference) }
  return { configPath, finding, operator }
}
