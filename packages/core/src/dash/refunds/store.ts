import type { RefundStatus } from '@merchant-payments/contract'
import type { InstructionState, Reader } from '@merchant-payments/db'
import { sql } from 'kysely'
import { type CustomerId, type MerchantId, type PaymentIntentId, uuidOf } from '../../ids.ts'
import { type Page, pageOf } from '../../pages/page.ts'
import type { RefundRow } from '../../refunds/store.ts'
import type { StaffPage } from '../pages/page.ts'
import { all, newestRows, rowsOfIntent } from '../pages/store.ts'

export interface RefundFilter {
  readonly status: RefundStatus | null
  readonly instruction: InstructionState | null
  readonly rail: string | null
  readonly intentId: PaymentIntentId | null
  readonly customerId: CustomerId | null
}

export async function listRefundRows(
  reader: Reader,
  page: StaffPage,
  { status, instruction, rail, intentId, customerId }: RefundFilter,
): Promise<Page<RefundRow>> {
  const where = all([
    status === null ? null : sql`t.status = ${status}`,
    instruction === null ? null : sql`t.instruction = ${instruction}`,
    rail === null ? null : sql`t.rail = ${rail}`,
    intentId === null ? null : sql`t.payment_intent_id = ${uuidOf(intentId)}::uuid`,
    customerId === null ? null : sql`t.customer_id = ${uuidOf(customerId)}::uuid`,
  ])
  const rows = await reader
    .selectFrom(newestRows<RefundRow>('refunds', page, where).as<'r'>(sql.ref('r')))
    .selectAll('r')
    .execute()
  return pageOf(rows, page)
}

/** The refunds of an intent, newest first. */
export const listRefundsOf = (
  reader: Reader,
  merchantId: MerchantId,
  intentId: PaymentIntentId,
  max: number,
): Promise<RefundRow[]> =>
  reader
    .selectFrom(rowsOfIntent<RefundRow>('refunds', merchantId, intentId, max).as<'r'>(sql.ref('r')))
    .selectAll('r')
    .orderBy('r.id', 'desc')
    .execute()
