import { execFile } from 'node:child_process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { FROZEN_VERSION, migrationsFolder, readMigrations } from '@merchant-payments/db'

const PG_VERSION = '17.0'

/** `migrate` sets the time-outs, and money fits the integers of its check constraints. */
const NOT_OURS = [
  'require-lock-timeout',
  'require-statement-timeout',
  'prefer-bigint-over-int',
  'prefer-bigint-over-smallint',
  'prefer-identity',
  'prefer-robust-stmts',
]
/** What the contract phase is for. The previous release no longer runs. */
const OF_CONTRACT = ['ban-drop-column', 'ban-drop-table', 'ban-drop-not-null']

const given = process.argv[2]
const folder = given === undefined ? migrationsFolder : pathToFileURL(`${given}/`)
const migrations = (await readMigrations(folder)).filter(({ version }) => version > FROZEN_VERSION)
const complaints = await Promise.all(
  migrations.map(({ name, phase, mode }) =>
    squawk([
      `--pg-version=${PG_VERSION}`,
      `--exclude=${[...NOT_OURS, ...(phase === 'contract' ? OF_CONTRACT : [])].join(',')}`,
      ...(mode === 'transaction' ? ['--assume-in-transaction'] : []),
      '--reporter=gcc',
      fileURLToPath(new URL(name, folder)),
    ]),
  ),
)
const found = complaints.filter((text) => text !== '')
for (const text of found) console.log(text)
process.exitCode = found.length === 0 ? 0 : 1

/** What it complains of, in lines; nothing if it has no complaint. */
async function squawk(args: readonly string[]): Promise<string> {
  const program = fileURLToPath(import.meta.resolve('squawk-cli/js/bin/squawk'))
  try {
    await promisify(execFile)(process.execPath, [program, ...args])
    return ''
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string }
    if (!stdout) throw new Error(stderr || String(error), { cause: error })
    return stdout.trim()
  }
}
