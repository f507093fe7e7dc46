import { sqlState } from '@merchant-payments/db'

/** What an alert says of a fault of ours: the database's code, or the kind of the error. Never a message. */
export const reasonOf = (error: unknown): string =>
  sqlState(error) ?? (error instanceof Error ? error.name : 'unknown')
