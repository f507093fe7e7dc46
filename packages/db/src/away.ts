import pg from 'pg'
import { isStalePlan } from './stale-plan.ts'

/** Codes of failures that the client detects itself, without a code from the server or the network. */
type AwayCode =
  | 'query_timeout'
  | 'connect_failed'
  | 'connection_lost'
  | 'too_many_waiting'
  | 'no_primary'
  | 'read_only'

/**
 * The database cannot be reached or does not answer in time. The statements under way may or may not have
 * been written. `code` is the cause's, such as ECONNREFUSED, if it has one; logs show the code and never the
 * message.
 */
export class DatabaseAwayError extends Error {
  override readonly name = 'DatabaseAwayError'
  readonly code: string

  constructor(code: AwayCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = cause instanceof Error && 'code' in cause ? String(cause.code) : code
  }
}

/** Any failure to open a connection means that the database cannot be used. */
export const asAway = (error: unknown): DatabaseAwayError =>
  error instanceof DatabaseAwayError
    ? error
    : new DatabaseAwayError('connect_failed', error instanceof Error ? error.message : String(error), error)

/**
 * SQLSTATEs of a server that cannot serve now: connection exceptions (08), a standby that refuses writes
 * after a failover (25006), sessions ended by its time-outs (25P03, 25P04), too few resources or connections
 * (53), a lock or a statement that took too long (55P03, 57014), shutdown, crash and start (57P01 to 57P03),
 * and a session ended while idle (57P05).
 */
const awayState = /^(?:08...|25006|25P03|25P04|53...|55P03|57014|57P0[1235])$/

/** Whether the database was away, overloaded or being migrated. The same request may succeed later; the code is not at fault. */
export const isDatabaseAway = (error: unknown): boolean =>
  error instanceof DatabaseAwayError ||
  isStalePlan(error) ||
  (error instanceof pg.DatabaseError && awayState.test(error.code ?? ''))

/** No authorization (28) and no such database (3D): waiting does not help. */
const misconfiguredState = /^(?:28|3D)/

export const isMisconfigured = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && misconfiguredState.test(String(error.code))
