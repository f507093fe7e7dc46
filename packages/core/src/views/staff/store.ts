import { type Held, heldIfFound } from '../../audit/before.ts'
import type { SavedView } from '@merchant-payments/contract'
import { instant, type Reader, type StaffViewTable, type Tx } from '@merchant-payments/db'
import { type Selectable, sql } from 'kysely'
import type { Staff } from '../../audit/render.ts'
import { columnsIn, columnsOf } from '../../base/columns.ts'
import { type StaffViewId, uuidOf } from '../../base/ids.ts'
import type { Page } from '../../pages/page.ts'

const columns = [
  'id',
  'list',
  'name',
  'search',
  'is_shared',
  'owner_subject',
  'owner_name',
  'created_at',
] as const satisfies readonly (keyof StaffViewTable)[]

export type ViewRow = Pick<Selectable<StaffViewTable>, (typeof columns)[number]>

/**
 * All own views, and the newest shared ones of others, each from an index of its own. The bound of a member's views
 * bounds the former.
 */
export async function listViewRows(
  reader: Reader,
  subject: string,
  sharedMax: number,
): Promise<Page<ViewRow>> {
  const rows = await reader
    .selectFrom(
      sql<ViewRow>`(
        (select ${columnsOf('v', columns)} from staff_views v where v.owner_subject = ${subject})
        union all
        (select ${columnsOf('v', columns)} from staff_views v where v.is_shared and v.owner_subject <> ${subject}
          order by v.id desc limit ${sharedMax + 1}))`.as<'r'>(sql.ref('r')),
    )
    .select(columnsIn('r', columns))
    .orderBy('r.id')
    .execute()
  const isOwn = (row: ViewRow) => row.owner_subject === subject
  const shared = rows.filter((row) => !isOwn(row))
  return {
    items: [...rows.filter(isOwn), ...shared.slice(-sharedMax)],
    hasMore: shared.length > sharedMax,
  }
}

/** Serializes the additions of a member, because each counts the views before it adds one. */
export async function lockViews(tx: Tx, subject: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('saved views of ' || ${subject}::text, 0))`.execute(
    tx,
  )
}

export async function countViews(tx: Tx, subject: string): Promise<number> {
  const { count } = await tx
    .selectFrom('staff_views')
    .select(sql<number>`count(*)`.as('count'))
    .where('owner_subject', '=', subject)
    .executeTakeFirstOrThrow()
  return count
}

interface NewView extends Pick<SavedView, 'list' | 'name' | 'search' | 'shared'> {
  readonly id: StaffViewId
}

export async function insertView(
  tx: Tx,
  { id, list, name, search, shared }: NewView,
  { subject, name: ownerName }: Staff,
  nowMs: number,
): Promise<void> {
  await tx
    .insertInto('staff_views')
    .values({
      id: uuidOf(id),
      list,
      name,
      search,
      is_shared: shared,
      owner_subject: subject,
      owner_name: ownerName,
      created_at: instant(nowMs),
    })
    .execute()
}

export const deleteView = async (
  tx: Tx,
  id: StaffViewId,
  subject: string,
): Promise<Held<Pick<ViewRow, 'list' | 'is_shared'>> | undefined> =>
  heldIfFound(
    await tx
      .deleteFrom('staff_views')
      .where('id', '=', uuidOf(id))
      .where('owner_subject', '=', subject)
      .returning(['list', 'is_shared'])
      .executeTakeFirst(),
  )
