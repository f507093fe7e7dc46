import { Refusal } from '@merchant-payments/contract'
import { type RawBuilder, sql } from 'kysely'

/** One row with `open`: whether the client may act. Part of every request's own statement (spec 5.1.5). */
export const clientStatus = (merchantId: string | RawBuilder<string>) =>
  sql`select not exists (select 1 from disabled_clients where client_id = ${merchantId}) as open`

/** The same as a table to join to: a guarded read finds one row at least. */
export const clientStatusTable = (merchantId: string) =>
  sql<{ open: boolean }>`(${clientStatus(merchantId)})`.as<'client'>(sql.ref('client'))

/** What a guarded read finds: whether the client may act at all, and the rest. */
export interface Guarded<T> {
  readonly open: boolean
  readonly found: T
}

/** Spec 5.7: a disabled client is told no more than a wrong token is. */
export const clientDisabled = () =>
  new Refusal('authentication_error', 'The bearer token is missing or not valid.')
