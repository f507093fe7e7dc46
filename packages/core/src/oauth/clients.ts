import { instant, type Reader, type Writer } from '@merchant-payments/db'
import { sql } from 'kysely'
import type { Refusal } from '@merchant-payments/contract'
import { clientDisabled, merchantMoving, readerStatus } from '../base/client-status.ts'
import { type LockPolicy, lockWait } from '../commit/lock-policy.ts'
import type { SharedWrite, Writes } from '../commit/writes.ts'

type JtiVerdict = 'spent' | 'replayed' | 'client_disabled'

interface Spending {
  readonly clientId: string
  /** A UUID in any case. All merchants share one namespace (spec 5.2). */
  readonly jti: string
  /** From this instant the assertion is too old, so its jti may be forgotten. */
  readonly expiresAtMs: number
}

const SPENDINGS_MAX = 64

/**
 * Spends jtis after their signatures were verified. Exactly one of all callers on all replicas gets `spent`. A
 * disabled client is refused first, and its jti is not spent (spec 5.3). Inserts run in order of the jtis, which
 * must all differ, so that statements do not deadlock.
 *
 * @returns a verdict for each, in the order given
 */
export async function spendJtis(
  writer: Writer,
  spendings: readonly Spending[],
  ifLocked: LockPolicy = 'wait',
): Promise<JtiVerdict[]> {
  if (spendings.length > SPENDINGS_MAX) throw new RangeError('too many jtis in one statement')
  const { rows } = await sql<{ n: number; open: boolean; spent: boolean }>`
    with t as materialized (
      select t.*, client.open from unnest(
        ${spendings.map((_, n) => n)}::integer[], ${spendings.map(({ jti }) => jti)}::uuid[],
        ${spendings.map(({ clientId }) => clientId)}::text[],
        ${spendings.map(({ expiresAtMs }) => instant(expiresAtMs))}::timestamptz[]
      ) as t (n, jti, client_id, expires_at), lateral (${readerStatus(sql<string>`t.client_id`)}) client${lockWait(ifLocked)}
    ),
    spent as (
      insert into spent_jtis (jti, expires_at)
      select jti, expires_at from t where open order by jti
      on conflict do nothing
      returning jti
    )
    select n, open, jti in (select jti from spent) as spent from t`.execute(writer)
  const found = new Map(rows.map((row) => [row.n, row]))
  return spendings.map((_, n) => {
    const row = found.get(n)
    if (row?.open !== true) return 'client_disabled'
    return row.spent ? 'spent' : 'replayed'
  })
}

/**
 * Whether a client's requests are served here. moving: its writes wait for the end of a move. away: its rows are in
 * another cell, or on their way here.
 */
type ClientState = 'open' | 'disabled' | 'moving' | 'away'

export async function findClientState(reader: Reader, clientId: string): Promise<ClientState> {
  const { state } = await reader
    .selectNoFrom(
      sql<ClientState>`case
        when exists (select 1 from disabled_clients where client_id = ${clientId}) then 'disabled'
        else coalesce((select case when state in ('draining', 'frozen') then 'moving' else 'away' end
          from merchant_moves where merchant_id = ${clientId}), 'open')
        end`.as('state'),
    )
    .executeTakeFirstOrThrow()
  return state
}

/**
 * Replaces `refusal` for a client that is disabled or whose rows are in another cell. An `authentication_error` here
 * only means that the client was closed. If it is open again, its move has just ended, and the request can be
 * repeated.
 */
export async function whyClosed(reader: Reader, clientId: string, refusal: Refusal): Promise<Refusal> {
  const state = await findClientState(reader, clientId)
  if (state === 'disabled') return clientDisabled()
  return state === 'away' || refusal.code === 'authentication_error' ? merchantMoving() : refusal
}

const spendings: SharedWrite<Spending, JtiVerdict> = {
  write: spendJtis,
  identitiesOf: ({ jti }) => [jti.toLowerCase()],
  ownerOf: ({ clientId }) => clientId,
  itemsMax: SPENDINGS_MAX,
}

export const spendJti = (writes: Pick<Writes, 'together'>, spending: Spending): Promise<JtiVerdict> =>
  writes.together(spendings, spending)
