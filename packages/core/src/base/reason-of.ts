import { sqlState } from '@merchant-payments/db'

/** The class of an error. Never its message, which may quote data. */
export const classOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error)

export const reasonOf = (error: unknown): string => sqlState(error) ?? classOf(error)
