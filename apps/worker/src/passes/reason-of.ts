import { sqlState } from '@merchant-payments/db'

/** The cause that an alert shows: the SQLSTATE or the error's class. Never a message, which may quote data. */
export const reasonOf = (error: unknown): string =>
  sqlState(error) ?? (error instanceof Error ? error.name : 'unknown')
