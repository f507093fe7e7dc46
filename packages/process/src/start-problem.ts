import {
  isDatabaseAway,
  isMisconfigured,
  POSTGRES_MAJOR_MIN,
  PostgresTooOldError,
  SchemaBehindError,
  sqlState,
  WrongEncodingError,
} from '@merchant-payments/db'
import { NODE_MAJOR_MIN } from './old-node.mjs'

/** EX_UNAVAILABLE of sysexits.h: a later start may succeed. */
const EXIT_UNAVAILABLE = 69
/** EX_CONFIG: no start succeeds until somebody changes something here. */
const EXIT_CONFIG = 78

/** Why a process does not start, and what to do. */
export interface StartProblem {
  readonly reason:
    | 'node_too_old'
    | 'postgres_too_old'
    | 'wrong_encoding'
    | 'database_away'
    | 'database_refused'
    | 'schema_behind'
    | 'port_in_use'
    | 'port_refused'
  readonly hint: string
  readonly exitCode: typeof EXIT_UNAVAILABLE | typeof EXIT_CONFIG
}

class NodeTooOldError extends Error {
  override readonly name = 'NodeTooOldError'
  readonly code = 'node_too_old'
}

/** @throws if this Node is too old */
export function requireNode(version = process.versions.node): void {
  if (Number.parseInt(version, 10) >= NODE_MAJOR_MIN) return
  throw new NodeTooOldError(`Node ${version} is too old: use Node ${NODE_MAJOR_MIN} or newer`)
}

const UNDEFINED_TABLE = '42P01'

/** The problem behind an error of a start; null for an error that is a bug. The hint quotes no value of the file. */
export function startProblemOf(error: unknown): StartProblem | null {
  if (!(error instanceof Error)) return null
  if (error instanceof NodeTooOldError) return problemOf('node_too_old', error.message, EXIT_CONFIG)
  if (error instanceof PostgresTooOldError) {
    const hint = `the server of database.url is too old: use a server of PostgreSQL ${POSTGRES_MAJOR_MIN} or newer`
    return problemOf('postgres_too_old', hint, EXIT_CONFIG)
  }
  if (error instanceof WrongEncodingError) return problemOf('wrong_encoding', error.message, EXIT_CONFIG)
  if (error instanceof SchemaBehindError || sqlState(error) === UNDEFINED_TABLE) {
    return problemOf(
      'schema_behind',
      'the database lacks migrations: run "migrate up expand" as the owner first',
    )
  }
  return listenerProblemOf(error) ?? databaseProblemOf(error)
}

function databaseProblemOf(error: Error): StartProblem | null {
  if (isMisconfigured(error)) {
    return problemOf(
      'database_refused',
      'the server refuses the login of database.url: create the role and the database, or mend the name or the password',
    )
  }
  if (!isDatabaseAway(error)) return null
  return problemOf('database_away', 'no server of database.url takes writes: start it, or mend the address')
}

/** An error of `listen` has the address and the port. */
function listenerProblemOf(error: Error): StartProblem | null {
  const { code, syscall, address, port } = error as NodeJS.ErrnoException & {
    readonly address?: string
    readonly port?: number
  }
  if (syscall !== 'listen') return null
  const where = `${address ?? 'any address'}, port ${port ?? 'unknown'}`
  if (code === 'EADDRINUSE') {
    const hint = `another process listens at ${where}: stop it, or give this one another port (--help lists the options)`
    return problemOf('port_in_use', hint)
  }
  const hint = `cannot listen at ${where} (${code ?? 'unknown error'}): choose an address of this machine and a port of 1024 or above`
  return problemOf('port_refused', hint, EXIT_CONFIG)
}

const problemOf = (
  reason: StartProblem['reason'],
  hint: string,
  exitCode: StartProblem['exitCode'] = EXIT_UNAVAILABLE,
): StartProblem => ({ reason, hint, exitCode })
