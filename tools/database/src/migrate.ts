import { readFileSync } from 'node:fs'
import {
  migrate,
  pendingOf,
  type Phase,
  readSchemaState,
  type SchemaState,
  verifySchema,
} from '@merchant-payments/db'
import { exitOnSignal } from './exit-on-signal.ts'

const USAGE = `Usage: DATABASE_OWNER_URL=<url of a member of merchant_payments_owner> migrate <command>
  (or DATABASE_OWNER_URL_FILE=<file with the url>)
  plan [expand|contract]  print the migrations that "up" would apply
  up [expand|contract]    apply them: expand before a deployment, contract once no older replica runs
  status                  print each migration, and when it was applied
  verify                  compare the database's migrations and their hashes with this release`

/** The exit codes: the database differs from this release, and the command could not run. */
const EXIT_DIFFERENT = 1
const EXIT_NOT_RUN = 2

class UsageError extends Error {
  override readonly message = USAGE
}

async function main(): Promise<number> {
  const url = ownerUrlOf(process.env)
  const [command = '', phase, ...more] = process.argv.slice(2)
  if (!url || more.length > 0 || !isPhase(phase)) throw new UsageError()
  switch (command) {
    case 'plan':
      print(planOf(await readSchemaState(url), phase), 'Nothing to apply.')
      return 0
    case 'up':
      await migrate(url, { phase, report: (line) => console.log(line) })
      console.log(phase === undefined ? 'The schema is up to date.' : `The ${phase} phase is done.`)
      return 0
    case 'status':
      print(statusOf(await readSchemaState(url)), '')
      return 0
    case 'verify':
      return reportDifferences(await verifySchema(url))
    default:
      throw new UsageError()
  }
}

/** The URL, or the text of the file that the variable with _FILE names: secrets of containers and units are files. */
function ownerUrlOf({ DATABASE_OWNER_URL: url, DATABASE_OWNER_URL_FILE: file }: NodeJS.ProcessEnv) {
  return url !== undefined || file === undefined ? url : readFileSync(file, 'utf8').replace(/\r?\n$/, '')
}

const isPhase = (text: string | undefined): text is Phase | undefined =>
  text === undefined || text === 'expand' || text === 'contract'

function print(lines: readonly string[], otherwise: string): void {
  console.log(lines.length === 0 ? otherwise : lines.join('\n'))
}

const planOf = (state: SchemaState, phase: Phase | undefined): string[] =>
  pendingOf(state, phase).map(({ name, phase, mode }) => `${name} (${phase}, ${mode})`)

const statusOf = ({ migrations, unknown, invalidIndexes }: SchemaState): string[] => [
  ...migrations.map(
    ({ migration, applied }) =>
      `${migration.name} (${migration.phase}) ${applied === null ? 'missing' : applied.appliedAt.toISOString()}`,
  ),
  ...unknown.map(({ name, appliedAt }) => `${name} (of another release) ${appliedAt.toISOString()}`),
  ...invalidIndexes.map((name) => `the index ${name} is invalid`),
]

function reportDifferences(differences: readonly string[]): number {
  print(differences, 'The database has exactly the migrations of this release.')
  return differences.length === 0 ? 0 : EXIT_DIFFERENT
}

exitOnSignal()

process.exitCode = await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  return error instanceof UsageError ? EXIT_NOT_RUN : EXIT_DIFFERENT
})
