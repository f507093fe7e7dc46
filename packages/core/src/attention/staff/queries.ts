import type { AttentionItem, List } from '@merchant-payments/contract'
import { secondsOf, secondsOrNull } from '../../base/clock.ts'
import { idOf, idOrNull } from '../../base/ids.ts'
import type { Deps } from '../../deps.ts'
import { renderPage, type StaffPage } from '../../pages/staff/page.ts'
import { versionOf } from '../item.ts'
import { type AttentionFilter, type AttentionRow, listAttentionRows, type Said } from '../store.ts'

export const listAttentionItems = async (
  { db }: Pick<Deps, 'db'>,
  page: StaffPage,
  filter: AttentionFilter,
): Promise<List<AttentionItem>> =>
  renderPage('/attention_items', await listAttentionRows(db.reader, page, filter), renderItem)

export const renderItem = (row: AttentionRow & Said): AttentionItem => ({
  id: idOf('att', row.id),
  object: 'attention_item',
  alert: row.alert,
  about: row.object,
  merchant: row.merchant_id,
  payment_intent: idOrNull('pi', row.payment_intent_id),
  facts: row.facts,
  rail_code: row.rail_code,
  rail_message: row.rail_message,
  version: versionOf(row),
  times: row.times,
  status: row.status,
  assignee: row.assignee === null ? null : { subject: row.assignee, name: row.assignee_name ?? '' },
  created: secondsOf(row.first_at),
  last_at: secondsOf(row.last_at),
  resolved_at: secondsOrNull(row.resolved_at),
})
