import type { AuditAction, AuditEntry as WireEntry } from '@merchant-payments/contract'
import type { AuditEntryTable, AuditHead, Reader, Tx } from '@merchant-payments/db'
import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { StaffPage } from '../pages/staff/page.ts'
import { all, inOrder, onPage } from '../pages/staff/store.ts'
import { foundPage, searchAlong } from '../pages/staff/search-store.ts'
import { type AuditEntryId, uuidFloorOf, uuidOf } from '../base/ids.ts'
import { columnsIn, columnsOf } from '../base/columns.ts'
import type { Page } from '../pages/page.ts'
import type { AuditRead } from './read.ts'
import { auditColumns, type AuditEntry, type AuditRow } from './render.ts'

export interface AuditKey {
  readonly key: string
  readonly fingerprint: Buffer
}

export async function recordAuditEntry(tx: Tx, entry: AuditEntry, key: AuditKey): Promise<AuditRow> {
  return tx
    .insertInto('audit_entries')
    .values(valuesOf(entry, key))
    .returning(auditColumns)
    .executeTakeFirstOrThrow()
}

/** Entries of one batch. @returns the id of the last one, whose hash covers the others */
export async function recordAuditEntries(
  tx: Tx,
  entries: readonly (AuditEntry & AuditKey)[],
): Promise<AuditEntryId | null> {
  const last = entries.at(-1)
  if (last === undefined) return null
  await tx
    .insertInto('audit_entries')
    .values(entries.map((entry) => valuesOf(entry, entry)))
    .execute()
  return last.id
}

function valuesOf(entry: AuditEntry, { key, fingerprint }: AuditKey) {
  const { actor } = entry
  if (actor.role === 'viewer') throw new Error('a viewer cannot make changes')
  return {
    id: uuidOf(entry.id),
    actor_subject: actor.subject,
    actor_name: actor.name,
    actor_role: actor.role,
    action: entry.action,
    target: entry.target,
    merchant_id: entry.merchantId,
    reason: entry.reason,
    before: JSON.stringify(entry.before),
    after: JSON.stringify(entry.after),
    request_id: entry.requestId,
    idempotency_key: key,
    fingerprint,
  }
}

type AuditReadEntry = AuditRead & Pick<AuditEntry, 'id' | 'actor' | 'requestId' | 'after'>

export const recordAuditRead = (tx: Tx, entry: AuditReadEntry): Promise<AuditRow> =>
  tx
    .insertInto('audit_entries')
    .values({
      id: uuidOf(entry.id),
      actor_subject: entry.actor.subject,
      actor_name: entry.actor.name,
      actor_role: entry.actor.role,
      action: entry.action,
      target: entry.target,
      merchant_id: entry.merchantId,
      before: '{}',
      after: JSON.stringify(entry.after),
      request_id: entry.requestId,
    })
    .returning(auditColumns)
    .executeTakeFirstOrThrow()

export async function hasReadSince(
  tx: Tx,
  subject: string,
  { action, target }: AuditRead,
  sinceMs: number,
): Promise<boolean> {
  const row = await tx
    .selectFrom('audit_entries')
    .select('id')
    .where('target', '=', target)
    .where('id', '>=', uuidFloorOf(sinceMs))
    .where('actor_subject', '=', subject)
    .where('action', '=', action)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export async function getReasonOf(tx: Tx, action: AuditAction, target: string): Promise<string> {
  const { reason } = await tx
    .selectFrom('audit_entries')
    .select('reason')
    .where('target', '=', target)
    .where('action', '=', action)
    .orderBy('id')
    .limit(1)
    .executeTakeFirstOrThrow()
  if (reason === null) throw new Error('a change has a reason')
  return reason
}

export const findAuditEntry = (
  reader: Reader,
  subject: string,
  key: string,
): Promise<(AuditRow & Pick<Selectable<AuditEntryTable>, 'fingerprint'>) | undefined> =>
  reader
    .selectFrom('audit_entries')
    .select([...auditColumns, 'fingerprint'])
    .where('actor_subject', '=', subject)
    .where('idempotency_key', '=', key)
    .executeTakeFirst()

export const findOwnEntry = (
  reader: Reader,
  id: AuditEntryId,
  subject: string,
): Promise<AuditRow | undefined> =>
  reader
    .selectFrom('audit_entries')
    .select(auditColumns)
    .where('id', '=', uuidOf(id))
    .where('actor_subject', '=', subject)
    .executeTakeFirst()

/** Reads the entry's hash. It exists only after the entry's transaction has committed. */
export async function getAuditSeal(reader: Reader, id: WireEntry['id']): Promise<AuditHead> {
  const { position, hash } = await reader
    .selectFrom('audit_chain')
    .select(['position', 'hash'])
    .where('entry_id', '=', uuidOf(id as AuditEntryId))
    .executeTakeFirstOrThrow()
  return { position, hash: hash.toString('hex') }
}

/**
 * The staff members whom the log names, each with one of their names. Each is found by one step along the index of
 * members and keys, so the entries are not read.
 */
export const listActorRows = (
  reader: Reader,
  max: number,
): Promise<Pick<AuditRow, 'actor_subject' | 'actor_name'>[]> =>
  reader
    .selectFrom(
      sql<Pick<AuditRow, 'actor_subject' | 'actor_name'>>`(
        with recursive actor (actor_subject) as (
          (select actor_subject from audit_entries order by actor_subject limit 1)
          union all
          select (
            select e.actor_subject from audit_entries e
            where e.actor_subject > actor.actor_subject order by e.actor_subject limit 1)
          from actor where actor.actor_subject is not null)
        select actor.actor_subject, newest.actor_name from actor
        cross join lateral (
          select e.actor_name from audit_entries e where e.actor_subject = actor.actor_subject limit 1) newest
        where actor.actor_subject is not null limit ${max})`.as<'r'>(sql.ref('r')),
    )
    .select(columnsIn('r', ['actor_subject', 'actor_name']))
    .execute()

export interface AuditFilter {
  readonly actor: string | null
  readonly action: AuditAction | null
  readonly targets: readonly string[] | null
}

const walkOf =
  (page: StaffPage, targets: AuditFilter['targets']) => (columns: RawBuilder<unknown>, rowsMax: number) => {
    const id = sql.ref('t.id')
    const entries = (where: RawBuilder<boolean>, shown: RawBuilder<unknown>) => sql`
      select ${shown} from audit_entries t where ${where} and ${onPage(page, id)} ${inOrder(page, id, rowsMax)}`
    if (targets === null) return entries(sql`true`, columns)
    const ofTarget = entries(sql`t.target = w.target`, columnsOf('t', auditColumns))
    return sql`
      select ${columns} from unnest(${targets}::text[]) w (target)
      cross join lateral (${ofTarget}) t ${inOrder(page, id, rowsMax)}`
  }

/** Other filters than targets are applied to a bounded number of entries. @throws Refusal invalid_request */
export async function listAuditRows(
  reader: Reader,
  page: StaffPage,
  { actor, action, targets }: AuditFilter,
): Promise<Page<AuditRow>> {
  const where = all([
    page.merchantId === null ? null : sql`t.merchant_id = ${page.merchantId}`,
    actor === null ? null : sql`t.actor_subject = ${actor}`,
    action === null ? null : sql`t.action = ${action}`,
  ])
  const entries = searchAlong(walkOf(page, targets), {
    columns: auditColumns,
    where,
    rowsMax: page.limit + 1,
  })
  const rows = await reader
    .selectFrom(sql<AuditRow & { readonly fits: boolean }>`(${entries})`.as<'r'>(sql.ref('r')))
    .select(columnsIn('r', [...auditColumns, 'fits']))
    .orderBy('r.id', page.endingBefore === null ? 'desc' : 'asc')
    .execute()
  return foundPage(rows, page)
}
