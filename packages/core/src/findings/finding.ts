import type { Currency } from '@merchant-payments/contract'
import type { RailFindingTable } from '@merchant-payments/db'
import type { RailCode } from '../rails/port.ts'

type FindingAnswer = RailFindingTable['answer']

export interface Operator {
  readonly name: string
  readonly reason: string
  readonly requestId: string
}

/** A reference from a log line or an operator's statement, before it is looked up in the database. */
export interface Sighting {
  readonly rail: RailCode
  readonly kind: RailFindingTable['kind']
  readonly reference: string
  readonly source: RailFindingTable['source']
  /** From the log line or the statement. They were not checked. */
  readonly merchant: string | null
  readonly object: string | null
  readonly amountMinor: number | null
  readonly currency: string | null
}

export interface Finding extends Sighting {
  readonly answer: FindingAnswer
  readonly transactionId: string | null
}

export type FindingKey = Pick<Finding, 'rail' | 'kind' | 'reference'>

/** The finding in the audit log: the rail's name and our reference, as an operator searches for them. */
export const targetOf = ({ rail, reference }: FindingKey): string => `${rail}:${reference}`

export type FoundAtRail = Pick<Finding, 'answer' | 'transactionId' | 'amountMinor' | 'currency'>

/** The rail did not answer, so the reference must be asked about again. */
export type AskResult = Finding | 'unavailable'

/** Money moved, or may still move. An operator's statement lists nothing else, so each of its lines is recorded. */
export const needsPerson = ({ source, answer }: Finding): boolean =>
  source === 'statement' || moving.has(answer)

const moving: ReadonlySet<FindingAnswer> = new Set(['succeeded', 'pending', 'unknown_status'])

export const isFinal = (answer: FindingAnswer): boolean => answer === 'succeeded' || answer === 'unasked'

export const currencyOr = (sighting: Sighting, currency: Currency): Currency =>
  sighting.currency === 'XAF' || sighting.currency === 'EUR' ? sighting.currency : currency
