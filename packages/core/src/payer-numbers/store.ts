import type { Reader, Tx } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { REDACTED } from '../base/redact.ts'
import { endsAs } from '../charges/staff/store.ts'
import { hasId, oldestBetween } from '../pages/staff/store.ts'

interface WalkProgress {
  /** All numbers up to this charge are collected. */
  readonly position: string
  /** This round has looked at all numbers up to this one. */
  readonly checkedTo: number
}

export async function readWalk(reader: Reader): Promise<WalkProgress> {
  const row = await reader
    .selectFrom('payer_number_walk')
    .select(['position', 'checked_to'])
    .executeTakeFirstOrThrow()
  return { position: row.position, checkedTo: row.checked_to }
}

declare const held: unique symbol

/**
 * Proves that the transaction holds the row of the walk. Only later statements see what the former holder committed,
 * so the statement that takes the lock reads no charge.
 */
export type HeldWalk = Tx & { readonly [held]: 'payer_number_walk' }

/** Waits for the worker, which holds the row for one bounded batch, and for other erasures. */
export async function holdWalk(tx: Tx): Promise<HeldWalk> {
  const { rows } = await sql`select from payer_number_walk for no key update`.execute(tx)
  if (rows.length === 0) throw new Error('payer_number_walk has no row')
  return tx as HeldWalk
}

/** @returns null if an erasure holds the row */
export async function tryHoldWalk(tx: Tx): Promise<HeldWalk | null> {
  const { rows } = await sql`select from payer_number_walk for no key update skip locked`.execute(tx)
  return rows.length === 0 ? null : (tx as HeldWalk)
}

export async function findChargesAfter(
  reader: Reader,
  afterUuid: string,
  beforeUuid: string,
  rowsMax: number,
): Promise<string[]> {
  const charges = oldestBetween('charges', ['id'], { afterUuid, beforeUuid, rowsMax })
  const rows = await reader
    .selectFrom(sql<{ id: string }>`(${charges})`.as<'r'>(sql.ref('r')))
    .select('r.id')
    .orderBy('r.id')
    .execute()
  return rows.map(({ id }) => id)
}

export async function addNumbersOf(held: HeldWalk, charges: readonly string[]): Promise<void> {
  // A conflict would use up a value of the sequence for each charge of a known number.
  await sql`
    insert into payer_numbers (msisdn)
    select distinct c.payer_msisdn from charges c
    where ${hasId('c', sql`= any (${charges}::uuid[])`)} and c.payer_msisdn ~ '^\\d{12}$'
      and not exists (select from payer_numbers n where n.msisdn = c.payer_msisdn)`.execute(held)
}

/** Leaves a position that is not `from` any more: a merchant that came to this cell has set it back. */
export async function advanceWalk(held: HeldWalk, from: string, to: string): Promise<void> {
  await sql`update payer_number_walk set position = ${to}::uuid where position = ${from}::uuid`.execute(held)
}

/** docs/spec-gaps.md, staff. A number is removed if none of this many charges with the same last four digits has it. */
const CHARGES_OF_ENDING_MAX = 10_000

const isUnpaid = (number: RawBuilder<unknown>) => sql`not exists (
  select from (
    select c.payer_msisdn from charges c
    where ${endsAs(number)} order by c.id desc limit ${CHARGES_OF_ENDING_MAX}) c
  where c.payer_msisdn = ${number})`

export async function forgetUnpaid(held: HeldWalk, numbers: readonly string[]): Promise<void> {
  const given = [...new Set(numbers)].filter((number) => number !== REDACTED)
  if (given.length === 0) return
  await sql`
    delete from payer_numbers n
    where n.msisdn = any (${given}::text[]) and ${isUnpaid(sql`n.msisdn`)}`.execute(held)
}

export async function checkNumbers(held: HeldWalk, max: number): Promise<void> {
  await sql`
    with page as materialized (
      select n.id, n.msisdn from payer_numbers n
      where n.id > (select w.checked_to from payer_number_walk w) order by n.id limit ${max}
    ),
    removed as (
      delete from payer_numbers n using page where n.id = page.id and ${isUnpaid(sql`page.msisdn`)}
    )
    update payer_number_walk set checked_to = case
      when (select count(*) from page) < ${max} then 0 else (select max(id) from page) end`.execute(held)
}
