import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { type Config, ConfigError, exitOnFaults } from '@merchant-payments/config'
import { getAuditSeal, type Operator } from '@merchant-payments/core'
import { type Database, openDatabase } from '@merchant-payments/db'
import { FileError } from './lines.ts'

/** As the audit log's own constraint. */
const REASON_CHARS_MAX = 500
const NAME_CHARS_MAX = 100

const EXIT_NOT_RUN = 2

/** The arguments are wrong. The message is the command's usage. */
export class UsageError extends Error {}

/** Runs a command to its exit code, which is 2 if it could not run, and 78 for a faulty configuration. */
export async function runCommand(main: () => Promise<number>): Promise<void> {
  process.exitCode = await main().catch((error: unknown) => {
    if (error instanceof ConfigError) return exitOnFaults(error)
    console.error(error instanceof UsageError || error instanceof FileError ? error.message : error)
    return EXIT_NOT_RUN
  })
}

interface Named {
  readonly operator?: string | undefined
  readonly reason?: string | undefined
}

/** @throws UsageError unless a person and a reason are named */
export function operatorOf({ operator: name, reason }: Named, usage: string): Operator {
  const isNamed = name !== undefined && name.trim() !== '' && name.length <= NAME_CHARS_MAX
  const isReasoned = reason !== undefined && reason.trim() !== '' && reason.length <= REASON_CHARS_MAX
  if (!isNamed || !isReasoned) throw new UsageError(usage)
  return { name, reason, requestId: `reconcile-${randomUUID()}` }
}

/** Parses the arguments of a command that has no options but its operator and reason. @throws UsageError */
export function parseArguments(usage: string) {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { operator: { type: 'string' }, reason: { type: 'string' } },
    })
    return { positionals, operator: operatorOf(values, usage) }
  } catch {
    throw new UsageError(usage)
  }
}

export function openDatabaseOf({ database }: Config): Database {
  return openDatabase({
    url: database.url.reveal(),
    poolSize: 2,
    readConnections: 0,
    applicationName: 'merchant-payments-reconcile-rails',
    namedStatements: database.namedStatements,
    onConnectionLost: () => undefined,
  })
}

/** The commands write no log line, so an operator keeps this one with those of the audit log. */
export async function headLine({ reader }: Database, entry: string): Promise<string> {
  const { position, hash } = await getAuditSeal(reader, entry)
  return `The audit log's head is ${position}:${hash} or later.`
}
