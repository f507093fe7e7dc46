import { instant, type Reader, type Writer } from '@merchant-payments/db'
import { sql } from 'kysely'
import { door, doorTable } from '../door.ts'

export type JtiVerdict = 'spent' | 'replayed' | 'client_disabled'

interface Spending {
  readonly clientId: string
  /** A UUID in any case: the namespace is one, global across merchants (spec 5.2). */
  readonly jti: string
  /** From this instant the assertion is refused for its age, so its jti may be forgotten. */
  readonly expiresAtMs: number
}

/**
 * Spends the jti of an assertion whose signature has been verified. Of any number of callers, on any number of replicas,
 * one is told `spent`. Spec 5.3: a disabled client is refused first, and burns nothing.
 */
export async function spendJti(
  writer: Writer,
  { clientId, jti, expiresAtMs }: Spending,
): Promise<JtiVerdict> {
  const { rows } = await sql<{ open: boolean; spent: boolean }>`
    with door as (${door(clientId)}),
    spent as (
      insert into spent_jtis (jti, expires_at)
      select ${jti}::uuid, ${instant(expiresAtMs)}::timestamptz from door where door.open
      on conflict do nothing
      returning jti
    )
    select door.open, exists (select from spent) as spent from door`.execute(writer)
  const [row] = rows
  if (row?.open !== true) return 'client_disabled'
  return row.spent ? 'spent' : 'replayed'
}

/** For what reads nothing else: other statements ask as a part of themselves. */
export async function isClientDisabled(reader: Reader, clientId: string): Promise<boolean> {
  const { open } = await reader.selectFrom(doorTable(clientId)).select('door.open').executeTakeFirstOrThrow()
  return !open
}
