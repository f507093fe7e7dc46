import { instant, type Writer } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'

/** A pass over rows that no job table schedules. */
export type Sweep =
  | 'remove-old-keys'
  | 'remove-old-jtis'
  | 'expire-sessions'
  | 'expire-approvals'
  | 'rescue-deliveries'
  | 'erase-idle-customers'
  | 'roll-up'
  | 'record-attention'

const REST_SECONDS_MIN = 60
/** The longest rest, so that a row that was repaired is tried again within a day. */
const REST_SECONDS_MAX = 86_400
const FAILURES_MAX = 100
/**
 * A refusal is forgotten this long after its rest: each sweep tries the row again within an hour. Until then it
 * counts as one that waits for a person.
 */
const FORGOTTEN_AFTER_HOURS = 2
const FORGOTTEN_MAX = 5_000

export const notResting = (sweep: Sweep, key: RawBuilder<string>, nowMs: number) =>
  notRestingAt(sweep, key, sql`${instant(nowMs)}::timestamptz`)

export const notRestingAt = (sweep: Sweep, key: RawBuilder<string>, now: RawBuilder<unknown>) => sql<boolean>`
  not exists (
    select from refused_rows r where r.pass = ${sql.lit(sweep)} and r.row_key = ${key} and r.due_at > ${now})`

export const plainUuid = (column: string) => sql<string>`replace(${sql.ref(column)}::text, '-', '')`

export const keyOfColumns = (...columns: readonly RawBuilder<unknown>[]) =>
  sql<string>`concat_ws(' ', ${sql.join(columns)})`

interface Refused {
  readonly sweep: Sweep
  readonly key: string
  readonly error: string | null
}

export async function restRow(writer: Writer, { sweep, key, error }: Refused, nowMs: number): Promise<void> {
  const now = sql`${instant(nowMs)}::timestamptz`
  await sql`
    insert into refused_rows as r (pass, row_key, error, refused_at, due_at)
    values (${sweep}, ${key}, ${error}, ${now}, ${now} + make_interval(secs => ${REST_SECONDS_MIN}))
    on conflict (pass, row_key) do update set
      failures = least(r.failures + 1, ${FAILURES_MAX}), error = excluded.error, refused_at = excluded.refused_at,
      due_at = ${now} + make_interval(secs => least(
        ${REST_SECONDS_MIN} * power(2, least(r.failures, 16)), ${REST_SECONDS_MAX}))`.execute(writer)
}

/** Forgets the refusals of rows that a sweep has tried, unless it was refused again since `beganMs`. */
export async function forgetTried(
  writer: Writer,
  { sweep, keys }: { readonly sweep: Sweep; readonly keys: readonly string[] },
  beganMs: number,
): Promise<void> {
  await sql`
    delete from refused_rows where pass = ${sweep} and row_key = any (${keys}::text[])
      and due_at <= ${instant(beganMs)}::timestamptz`.execute(writer)
}

export async function forgetRefusals(writer: Writer, nowMs: number): Promise<void> {
  await sql`
    delete from refused_rows where (pass, row_key) in (
      select pass, row_key from refused_rows
      where due_at < ${instant(nowMs)}::timestamptz - make_interval(hours => ${FORGOTTEN_AFTER_HOURS})
      order by due_at limit ${FORGOTTEN_MAX} for update skip locked)`.execute(writer)
}
