import { sqlState } from '@merchant-payments/db'

/** Every SQLSTATE has a digit. Errors of sockets, such as EPIPE, have none. */
const state = /^(?=.*\d)[0-9A-Z]{5}$/

/**
 * Connection exceptions, insufficient resources, operator intervention, a standby, and a completion that is unknown. A
 * corrupt row (XX001) or an unreadable page (58030) is not among them: it concerns only the statements that need it.
 */
const ofServer = /^(?:08|53|57P|25006|40003)/

/**
 * Whether an error is about the statement, or what it waited for, and not about the server or the connection. The
 * statement wrote nothing.
 */
export function isOfStatement(error: unknown): boolean {
  const code = sqlState(error)
  return code !== null && state.test(code) && !ofServer.test(code)
}

/** A deadlock, a serialization failure, or a lock that another transaction kept: the item itself is sound. */
export const isOfLock = (error: unknown): boolean => /^(?:40...|55P03)$/.test(sqlState(error) ?? '')

/** As `isOfLock`, or the statement time-out: the item may be sound, and the database is slow. */
export const isOfWaiting = (error: unknown): boolean => isOfLock(error) || sqlState(error) === '57014'
