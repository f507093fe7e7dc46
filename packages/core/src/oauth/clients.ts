import { instant, type Reader, type Writer } from '@merchant-payments/db'
import { sql } from 'kysely'
import { clientStatus, clientStatusTable } from '../base/client-status.ts'
import { type HeldRows, lockWait } from '../commit/held-rows.ts'
import type { SharedWrite, Writes } from '../commit/writes.ts'

export type JtiVerdict = 'spent' | 'replayed' | 'client_disabled'

export interface Spending {
  readonly clientId: string
  /** A UUID in any case: the namespace is one, global across merchants (spec 5.2). */
  readonly jti: string
  /** From this instant the assertion is refused for its age, so its jti may be forgotten. */
  readonly expiresAtMs: number
}

/** Of one statement. */
const SPENDINGS_MAX = 64

/**
 * Spends the jtis of assertions whose signatures have been verified. Of any number of callers, on any number of replicas,
 * one is told `spent`. Spec 5.3: a disabled client is refused first, and burns nothing. Taken in the order of the jtis, so
 * that no two statements wait for each other. No two may be the same.
 *
 * @returns for each, in order, what came of it
 */
export async function spendJtis(
  writer: Writer,
  spendings: readonly Spending[],
  held: HeldRows = 'wait',
): Promise<JtiVerdict[]> {
  if (spendings.length > SPENDINGS_MAX) throw new RangeError('too many jtis in one statement')
  const { rows } = await sql<{ n: number; open: boolean; spent: boolean }>`
    with t as materialized (
      select t.*, client.open from unnest(
        ${spendings.map((_, n) => n)}::integer[], ${spendings.map(({ jti }) => jti)}::uuid[],
        ${spendings.map(({ clientId }) => clientId)}::text[],
        ${spendings.map(({ expiresAtMs }) => instant(expiresAtMs))}::timestamptz[]
      ) as t (n, jti, client_id, expires_at), lateral (${clientStatus(sql<string>`t.client_id`)}) client${lockWait(held)}
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

/** For what reads nothing else: other statements ask as a part of themselves. */
export async function isClientDisabled(reader: Reader, clientId: string): Promise<boolean> {
  const { open } = await reader
    .selectFrom(clientStatusTable(clientId))
    .select('client.open')
    .executeTakeFirstOrThrow()
  return !open
}

/** Assertions that arrive together. */
const spendings: SharedWrite<Spending, JtiVerdict> = {
  write: spendJtis,
  identityOf: ({ jti }) => jti.toLowerCase(),
  ownerOf: ({ clientId }) => clientId,
  itemsMax: SPENDINGS_MAX,
}

/** Spends the jti of one assertion in a statement with others. */
export const spendJti = (writes: Pick<Writes, 'together'>, spending: Spending): Promise<JtiVerdict> =>
  writes.together(spendings, spending)
