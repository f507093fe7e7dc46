import { instant, type Reader, type Writer } from '@merchant-payments/db'
import { sql } from 'kysely'
import { HOUR_MS } from '../base/clock.ts'
import { isNotMoving } from '../base/client-status.ts'
import type { Deps } from '../deps.ts'
import { forgetRefusals, keyOfColumns, notResting } from './refusals.ts'
import { isOfLock } from '../base/refused-statements.ts'
import { sweepRows } from './sweep-rows.ts'
import { findStep } from './walk-store.ts'
import { newWalk, type Round, type Step, takeStep, type Walk } from './walk.ts'
import { rowsJson } from '../base/rows-json.ts'

/** Rows in one removal: few enough to delay no one. */
const REMOVAL_MAX = 5_000

interface JtiRow {
  readonly jti: string
}

interface KeyRow {
  readonly merchant_id: string
  readonly scope: string
  readonly key: string
}

/** Spec 8: a key lives 24 hours. */
export const findExpiredKeys = (reader: Reader, round: Round, nowMs: number): Promise<Step<KeyRow>> =>
  findStep(reader, round, {
    table: 'idempotency_keys',
    order: { expires_at: 'timestamptz', merchant_id: 'text', scope: 'text', key: 'text' },
    isDue: sql`t.expires_at <= ${instant(round.untilMs)}::timestamptz`,
    mayTake: sql`${notResting('remove-old-keys', keyOfColumns(sql`t.merchant_id`, sql`t.scope`, sql`t.key`), nowMs)}
      and ${isNotMoving(sql`t.merchant_id`)}`,
    readMax: REMOVAL_MAX,
    takenMax: REMOVAL_MAX,
  })

export async function removeKeys(writer: Writer, keys: readonly KeyRow[], nowMs: number): Promise<number> {
  const result = await sql<{ removed: number }>`
    with expired as materialized (
      select k.merchant_id, k.scope, k.key
      from json_to_recordset(${rowsJson(keys)}::json) as t (merchant_id text, scope text, key text)
      cross join lateral (
        select k.merchant_id, k.scope, k.key from idempotency_keys k
        where k.merchant_id = t.merchant_id and k.scope = t.scope and k.key = t.key
          and k.expires_at <= ${instant(nowMs)}::timestamptz
        for update skip locked) k
    ),
    gone as (
      delete from idempotency_keys k using expired e
      where k.merchant_id = e.merchant_id and k.scope = e.scope and k.key = e.key
      returning 1
    )
    select count(*)::integer as removed from gone`.execute(writer)
  return result.rows[0]?.removed ?? 0
}

/** A spent jti is kept for longer than any leeway of its assertion (spec 5.2), so that it can never be spent again. */
const JTI_MARGIN_MS = HOUR_MS

export const findSpentJtis = (reader: Reader, round: Round, nowMs: number): Promise<Step<JtiRow>> =>
  findStep(reader, round, {
    table: 'spent_jtis',
    order: { expires_at: 'timestamptz', jti: 'uuid' },
    isDue: sql`t.expires_at <= ${instant(round.untilMs - JTI_MARGIN_MS)}::timestamptz`,
    mayTake: notResting('remove-old-jtis', sql`t.jti::text`, nowMs),
    readMax: REMOVAL_MAX,
    takenMax: REMOVAL_MAX,
  })

export async function removeJtis(writer: Writer, spent: readonly JtiRow[]): Promise<number> {
  const jtis = spent.map(({ jti }) => jti)
  const result = await sql<{ removed: number }>`
    with expired as materialized (
      select jti from spent_jtis where jti = any (${jtis}::uuid[]) for update skip locked
    ),
    gone as (delete from spent_jtis s using expired e where s.jti = e.jti returning 1)
    select count(*)::integer as removed from gone`.execute(writer)
  return result.rows[0]?.removed ?? 0
}

type SweepDeps = Pick<Deps, 'db' | 'clock' | 'alert'>

interface RemovalReport {
  readonly removed: number
  readonly full: boolean
}

export async function sweepKeys(deps: SweepDeps, walk: Walk = newWalk()): Promise<RemovalReport> {
  const { db, clock } = deps
  const nowMs = clock()
  const { written, full } = await takeStep(deps, walk, {
    find: (round) => findExpiredKeys(db.reader, round, nowMs),
    write: (found) =>
      sweepRows(deps, found, {
        sweep: 'remove-old-keys',
        write: (keys, { writer }) => removeKeys(writer, keys, nowMs),
        keyOf: ({ merchant_id: merchant, scope, key }) => [merchant, scope, key].join(' '),
        idOf: () => null,
      }),
  })
  await forgetRefusals(db.writer, nowMs)
  return { removed: written, full }
}

export async function sweepJtis(deps: SweepDeps, walk: Walk = newWalk()): Promise<RemovalReport> {
  const { db, clock } = deps
  const { written, full } = await takeStep(deps, walk, {
    find: (round) => findSpentJtis(db.reader, round, clock()),
    write: (found) =>
      sweepRows(deps, found, {
        sweep: 'remove-old-jtis',
        write: (jtis, { writer }) => removeJtis(writer, jtis),
        keyOf: ({ jti }) => jti,
        idOf: () => null,
      }),
  })
  return { removed: written, full }
}

/** A worker may be away for this many months before rows fall into the default partition. */
const MONTHS_AHEAD = 3

/**
 * Makes the present month and the next ones. Each month has its own transaction. Otherwise the next month would take
 * the locks of the last one for a long-running reader.
 *
 * @returns the month that was not made, because another session, such as a dump, holds the tables; null if none
 */
export async function ensurePartitions(writer: Writer, nowMs: number): Promise<string | null> {
  const now = new Date(nowMs)
  for (let ahead = 0; ahead <= MONTHS_AHEAD; ahead += 1) {
    const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead)).toISOString()
    try {
      await sql`select ensure_partitions(${month}::timestamptz)`.execute(writer)
    } catch (error) {
      if (!isOfLock(error)) throw error
      return month.slice(0, 7).replace('-', '')
    }
  }
  return null
}

interface OldMonth {
  readonly month: string
  /**
   * `unfinished`: something waits in the month. `unarchived`: it must be archived first. `held`: another session, such
   * as a dump, holds the tables, and no lock is requested then.
   */
  readonly outcome: 'dropped' | 'held' | 'unfinished' | 'unarchived'
}

export interface Retention {
  readonly days: number
  /** Keeps a month that the tool `archive` has not written and verified. */
  readonly onlyArchived: boolean
}

/** @returns the oldest month that was dropped or held, after those that are kept */
export async function dropOldMonth(
  writer: Writer,
  nowMs: number,
  { days, onlyArchived }: Retention,
): Promise<OldMonth[]> {
  const { rows } = await sql<OldMonth>`
    select month, outcome from drop_oldest_month(
      ${instant(nowMs)}::timestamptz - make_interval(days => ${days}::integer), ${onlyArchived}::boolean)`.execute(
    writer,
  )
  return rows
}

/**
 * Keeps the planner from assuming that a table is nearly empty. Otherwise a connection could keep a plan that reads
 * a whole queue once it fills (docs/decisions/0014).
 *
 * @returns how many tables a vacuum had found nearly empty
 */
export async function keepPlannerFloor(writer: Writer): Promise<number> {
  const { rows } = await sql<{ raised: number }>`select keep_planner_floor() as raised`.execute(writer)
  return rows[0]?.raised ?? 0
}
