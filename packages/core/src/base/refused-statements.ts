import { sqlState } from '@merchant-payments/db'

/** Every SQLSTATE has a digit. Errors of sockets, such as EPIPE, have none. */
const state = /^(?=.*\d)[0-9A-Z]{5}$/

/**
 * Connection exceptions, insufficient resources, operator intervention, a standby, and a completion that is unknown.
 * XX001 (corrupt row) and 58030 (unreadable page) are left out: they affect only statements that read that row or
 * page.
 */
const ofServer = /^(?:08|53|57P|25006|40003)/

/**
 * Whether the statement itself failed, for example at a constraint or a lock time-out, and not the server or the
 * connection. If so, it wrote nothing.
 */
export function isOfStatement(error: unknown): boolean {
  const code = sqlState(error)
  return code !== null && state.test(code) && !ofServer.test(code)
}

/**
 * PostgreSQL cannot read a row, or a page of it: a system error or corrupt data. Other errors of a read, such as a missing
 * right, are those of the statement and not of a row.
 */
export const isUnreadable = (error: unknown): boolean => /^(?:58|XX)\w{3}$/.test(sqlState(error) ?? '')

/** A deadlock, a serialization failure, or a lock that another transaction kept: the item itself is sound. */
export const isOfLock = (error: unknown): boolean => /^(?:40...|55P03)$/.test(sqlState(error) ?? '')

/** The time-outs of a statement (57014), of a transaction (25P04), and of one that is idle (25P03). */
const ofTimeOut = /^(?:57014|25P0[34])$/

/** A lock error or a time-out: the item may be sound, and the database is slow or busy. */
export const isOfWaiting = (error: unknown): boolean =>
  isOfLock(error) || ofTimeOut.test(sqlState(error) ?? '')

/** @returns false if the statement is refused with one of these SQLSTATEs */
export async function unlessState(states: readonly string[], run: () => Promise<unknown>): Promise<boolean> {
  try {
    await run()
    return true
  } catch (error) {
    if (states.includes(sqlState(error) ?? '')) return false
    throw error
  }
}
