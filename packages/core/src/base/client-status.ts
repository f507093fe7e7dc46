import { Refusal } from '@merchant-payments/contract'
import { type RawBuilder, sql } from 'kysely'

/** One row with `open`: whether the client is enabled. Every request checks this in its own statement (spec 5.1.5). */
export const clientStatus = (merchantId: string | RawBuilder<string>) =>
  sql`select not exists (select 1 from disabled_clients where client_id = ${merchantId}) as open`

/** The same as a table to join, so that a guarded read always returns a row. */
export const clientStatusTable = (merchantId: string | RawBuilder<string>) =>
  sql<{ open: boolean }>`(${clientStatus(merchantId)})`.as<'client'>(sql.ref('client'))

export interface Guarded<T> {
  readonly open: boolean
  readonly found: T
}

/** Spec 5.7: a disabled client gets the same answer as a wrong token. */
export const clientDisabled = () =>
  new Refusal('authentication_error', 'The bearer token is missing or not valid.')
