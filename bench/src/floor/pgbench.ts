import { execFile } from 'node:child_process'
import { glob, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

export interface Script {
  readonly name: string
  readonly text: string
  /** Values of the script's variables, sent as parameters. */
  readonly values: Readonly<Record<string, string>>
}

export interface Floor {
  readonly done: number
  readonly perSecond: number
}

/** The number of connections in the API's own pool. */
const CLIENTS = 16
/** Transactions of each client in a round of less than a second: pgbench measures whole seconds only. */
const SHORT_ROUND_TRANSACTIONS = 20
/** A round of this length without a transaction is an error. */
const SECONDS_MAX = 16

const execute = promisify(execFile)

const places = ['/usr/lib/postgresql/*/bin/pgbench', '/opt/homebrew/opt/postgresql@*/bin/pgbench']

/** Finds pgbench on the PATH, or that of the newest PostgreSQL from Debian or Homebrew. Null if there is none. */
export async function findPgbench(): Promise<string | null> {
  const installed: string[] = []
  for await (const path of glob(places)) installed.push(path)
  for (const candidate of ['pgbench', ...installed.sort().reverse()]) {
    const works = await execute(candidate, ['--version']).then(
      () => true,
      () => false,
    )
    if (works) return candidate
  }
  return null
}

/**
 * Runs a script with prepared statements for this long, or for a few transactions if that is less than a second.
 *
 * @throws if any transaction failed
 */
export async function runPgbench(
  pgbench: string,
  databaseUrl: string,
  { name, text, values }: Script,
  { folder, durationMs }: { folder: string; durationMs: number },
): Promise<Floor> {
  const file = join(folder, `${name}.sql`)
  await writeFile(file, text)
  for (let seconds = Math.round(durationMs / 1000); ; seconds = Math.max(1, seconds * 2)) {
    const { stdout } = await execute(pgbench, [
      '--no-vacuum',
      '--protocol=prepared',
      `--client=${CLIENTS}`,
      '--jobs=1',
      seconds === 0 ? `--transactions=${SHORT_ROUND_TRANSACTIONS}` : `--time=${seconds}`,
      `--file=${file}`,
      ...Object.entries(values).map(([variable, value]) => `--define=${variable}=${value}`),
      databaseUrl,
    ])
    const done = numberAfter(stdout, 'number of transactions actually processed: ')
    const failed = numberAfter(stdout, 'number of failed transactions: ')
    if (failed > 0) throw new Error(`${failed} transactions of ${name} failed`)
    if (done > 0) return { done, perSecond: numberAfter(stdout, 'tps = ') }
    // A busy machine may spend a short round on connecting alone, so the round is repeated with twice the
    // time.
    if (seconds >= SECONDS_MAX) throw new Error(`no transaction of ${name} was done in ${seconds} seconds`)
  }
}

function numberAfter(report: string, words: string): number {
  const at = report.indexOf(words)
  if (at < 0) throw new Error(`pgbench reports no "${words.trim()}"`)
  return Number.parseFloat(report.slice(at + words.length))
}
