import { Refusal } from '@merchant-payments/contract'
import { type RawBuilder, sql } from 'kysely'

type Client = string | RawBuilder<string>

const isEnabled = (merchantId: Client) =>
  sql`not exists (select 1 from disabled_clients where client_id = ${merchantId})`

/** Whether the merchant's rows may change here: not while it moves to another cell (docs/decisions/0029). */
const mayWrite = (merchantId: Client) =>
  sql`not exists (select 1 from merchant_moves where merchant_id = ${merchantId})`

/** The states of a move in which the merchant lives in another cell, although some of its rows are here. */
export const STATES_ELSEWHERE = ['left', 'arriving'] as const
const elsewhere = sql.join(STATES_ELSEWHERE.map((state) => sql.lit(state)))

/** Whether the merchant's rows are here. They are read while they are copied to another cell. */
const mayRead = (merchantId: Client) =>
  sql`not exists (select 1 from merchant_moves where merchant_id = ${merchantId} and state in (${elsewhere}))`

/** Whether the client may write, as one expression. */
export const isOpenFor = (merchantId: Client) => sql`${isEnabled(merchantId)} and ${mayWrite(merchantId)}`

/**
 * One row with `open`: whether the client is enabled and may write. Every request checks this in its own statement
 * (spec 5.1.5).
 */
export const clientStatus = (merchantId: Client) => sql`select ${isOpenFor(merchantId)} as open`

/** One row with `open`: whether the client is enabled and may read. */
export const readerStatus = (merchantId: Client) =>
  sql`select ${isEnabled(merchantId)} and ${mayRead(merchantId)} as open`

/** `readerStatus` as a table to join. A read that starts from it returns a row even if the object is missing. */
export const clientStatusTable = (merchantId: Client) =>
  sql<{ open: boolean }>`(${readerStatus(merchantId)})`.as<'client'>(sql.ref('client'))

/** Claims and sweeps leave out the rows of merchants that move. The array is read once for each statement. */
export const isNotMoving = (merchantId: RawBuilder<unknown>) =>
  sql<boolean>`${merchantId} <> all (array(select v.merchant_id from merchant_moves v))`

/**
 * Staff's counts, sums and lists of what waits leave out the rows of merchants that live in another cell: those of a
 * merchant that has left, and the copy of one that arrives. The array is read once for each statement.
 */
export const livesHere = (merchantId: RawBuilder<unknown>) =>
  sql<boolean>`${merchantId} <> all (array(
    select v.merchant_id from merchant_moves v where v.state in (${elsewhere})))`

/** Whether the merchant has moved to another cell and its old rows here are not deleted yet. */
export const hasLeft = (merchantId: RawBuilder<unknown>) =>
  sql<boolean>`${merchantId} = any (array(select v.merchant_id from merchant_moves v where v.state = 'left'))`

export interface Guarded<T> {
  readonly open: boolean
  readonly found: T
}

export const notAuthenticated = () =>
  new Refusal('authentication_error', 'The bearer token is missing or not valid.')

/** Spec 5.7: a disabled client gets the same answer as a wrong token. */
export const clientDisabled = () => notAuthenticated()

/** The merchant's requests wait for the end of its move, in this cell or in the other one. */
export const merchantMoving = () =>
  new Refusal(
    'service_unavailable',
    'The merchant is being moved. Send the same request again after a moment.',
  )
