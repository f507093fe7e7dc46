import { type ChargeRuling, instant, type Reader, sqlState, type Writer } from '@merchant-payments/db'
import { sql } from 'kysely'
import type { ChargeId, MerchantId, PaymentIntentId } from '../../ids.ts'
import { type Page, pageOf } from '../../pages/page.ts'
import type { StaffPage } from '../pages/page.ts'
import { all, inOrder, onPage, rowById, rowsOfIntent } from '../pages/store.ts'
import type { ChargeRow } from './render.ts'

/** Charges that still wait for their rail, and have for so long. The index of live charges holds no other. */
export async function listLiveCharges(
  reader: Reader,
  page: StaffPage,
  { openedBeforeMs, rail }: { openedBeforeMs: number; rail: string | null },
): Promise<Page<ChargeRow>> {
  const id = sql.ref('t.id')
  const where = all([
    sql`t.status in ('submitting', 'live', 'unconfirmed')`,
    sql`t.opened_at < ${instant(openedBeforeMs)}::timestamptz`,
    page.merchantId === null ? null : sql`t.merchant_id = ${page.merchantId}`,
    rail === null ? null : sql`t.rail = ${rail}`,
    onPage(page, id),
  ])
  const rows = await reader
    .selectFrom(
      sql<ChargeRow>`(select t.* from charges t where ${where} ${inOrder(page, id)})`.as<'r'>(sql.ref('r')),
    )
    .selectAll('r')
    .execute()
  return pageOf(rows, page)
}

/** The charges of an intent, newest first. */
export const listChargesOf = (
  reader: Reader,
  merchantId: MerchantId,
  intentId: PaymentIntentId,
  max: number,
): Promise<ChargeRow[]> =>
  reader
    .selectFrom(rowsOfIntent<ChargeRow>('charges', merchantId, intentId, max).as<'r'>(sql.ref('r')))
    .selectAll('r')
    .orderBy('r.id', 'desc')
    .execute()

export const findCharge = (reader: Reader, id: ChargeId): Promise<ChargeRow | undefined> =>
  reader
    .selectFrom(rowById<ChargeRow>('charges', id).as<'r'>(sql.ref('r')))
    .selectAll('r')
    .executeTakeFirst()

interface Ruling {
  readonly outcome: ChargeRuling
  readonly reason: string
  readonly operator: string
}

/** @returns false of a charge that cannot come to this any more, or not yet */
export async function rule(
  writer: Writer,
  id: ChargeId,
  { outcome, reason, operator }: Ruling,
): Promise<boolean> {
  try {
    await sql`select ops_resolve_charge(${id}, ${outcome}, ${reason}, ${operator})`.execute(writer)
    return true
  } catch (error) {
    if (sqlState(error) === NOT_RESOLVABLE) return false
    throw error
  }
}

/** check_violation, as the function raises it. */
const NOT_RESOLVABLE = '23514'
