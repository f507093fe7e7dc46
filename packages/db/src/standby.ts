import { sql } from 'kysely'
import { isDatabaseAway } from './away.ts'
import { monotonicMs } from './clock.ts'
import {
  type Database,
  type Reader,
  sqlState,
  TRANSACTION_TIMEOUT_MS,
  TRANSACTION_TRIES_MAX,
} from './database.ts'

/** docs/decisions/0028: how often the lag is measured, which is also how precise it is. */
const EVERY_MS = 1_000
/** A reading older than this says nothing about the present. */
const KNOWN_MS = 5_000
/** docs/decisions/0028: with a greater lag nobody reads from the standby. */
export const STANDBY_LAG_MAX_MS = 20_000
/** For the age of the reading, the time from an id to its transaction, and clocks that differ. */
const SETTLED_MARGIN_MS = 30_000
/**
 * Age of an id in ms from which on every read has its row, at the primary and at a standby that is used. The row's
 * transaction has ended by then, because it ends after TRANSACTION_TIMEOUT_MS and is tried TRANSACTION_TRIES_MAX times.
 */
export const SETTLED_AFTER_MS =
  TRANSACTION_TRIES_MAX * TRANSACTION_TIMEOUT_MS + STANDBY_LAG_MAX_MS + SETTLED_MARGIN_MS
/** Positions of the primary that are kept to find the lag. A greater lag is not told apart. */
const POSITIONS_MAX = 600

interface Position {
  readonly lsn: number
  readonly atMs: number
}

/** A hot standby for the staff's reads, and how far it is behind. */
export interface Standby {
  readonly reads: Pick<Database, 'reader' | 'lists'>
  /** Not while it is away, too far behind, or no standby of this primary. */
  isUsable(): boolean
  /** Null if unknown. */
  lagMs(): number | null
  /** Leaves the standby until the next reading. */
  leave(): void
  close(): Promise<void>
}

interface StandbyOptions {
  readonly primary: Reader
  readonly standby: Database
  /** Called with the first reading, when the standby can no longer be used, and when it can again. */
  readonly onChange: (usable: boolean) => void
  /** Default: STANDBY_LAG_MAX_MS. Tests shorten it. */
  readonly lagMaxMs?: number
}

/**
 * Measures each second how far the standby is behind. The lag is the age of the newest position of the primary that the
 * standby has replayed. So it does not grow while nobody writes, as the time of the last replayed commit does.
 */
export function watchStandby({
  primary,
  standby,
  onChange,
  lagMaxMs = STANDBY_LAG_MAX_MS,
}: StandbyOptions): Standby {
  let positions: readonly Position[] = []
  let lag: { readonly ms: number; readonly atMs: number } | null = null
  /** Position at which a standby with a dropped history ends. Null if none was seen. */
  let strayLsn: number | null = null
  let wasUsable: boolean | null = null
  let measuring: Promise<void> | null = null

  const lagMs = () => (lag === null || monotonicMs() - lag.atMs > KNOWN_MS ? null : lag.ms)
  const isUsable = () => (lagMs() ?? Number.POSITIVE_INFINITY) <= lagMaxMs

  function tell(): void {
    const usable = isUsable()
    if (usable === wasUsable) return
    wasUsable = usable
    onChange(usable)
  }

  async function measure(): Promise<void> {
    const atMs = monotonicMs()
    try {
      const [ours, theirs] = await Promise.all([readPosition(primary), readPosition(standby.reader)])
      positions = [...positions.slice(1 - POSITIONS_MAX), { lsn: ours.lsn, atMs }]
      // A standby is ahead of its primary only if the primary was restored to an earlier time. It then keeps the
      // dropped history, and does not move when the primary overtakes it.
      if (theirs.lsn > ours.lsn && theirs.lsn > (await readPosition(primary)).lsn) strayLsn = theirs.lsn
      const isOurs = theirs.follows && theirs.system === ours.system && theirs.lsn !== strayLsn
      const reached = positions.findLast(({ lsn }) => lsn <= theirs.lsn)
      lag = isOurs && reached !== undefined ? { ms: atMs - reached.atMs, atMs } : null
    } catch {
      // One of the two is away. Reads go to the primary, which shows its own failure.
      lag = null
    }
    tell()
  }

  const timer = setInterval(() => {
    measuring ??= measure().finally(() => {
      measuring = null
    })
  }, EVERY_MS)
  timer.unref()

  return {
    reads: standby,
    isUsable,
    lagMs,
    leave: () => {
      lag = null
      tell()
    },
    close: async () => {
      clearInterval(timer)
      await measuring
      await standby.close()
    },
  }
}

/** The position that a standby has replayed, or that a primary has written, in bytes. */
const readPosition = (reader: Reader) =>
  reader
    .selectNoFrom([
      sql<boolean>`pg_is_in_recovery()`.as('follows'),
      sql<number>`pg_wal_lsn_diff(
        case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end, '0/0')::bigint`.as(
        'lsn',
      ),
      sql<string>`(select system_identifier::text from pg_control_system())`.as('system'),
    ])
    .executeTakeFirstOrThrow()

/** A statement that conflicted with what the standby replays. */
const CONFLICT = '40001'
/** A column or a table of a migration that the standby has not replayed yet. */
const UNKNOWN: ReadonlySet<string | null> = new Set(['42703', '42P01'])
/** A statement that took too long does so on the primary too. */
const TIMED_OUT = '57014'

/** Whether the primary may answer a read that failed at the standby. */
export const isOfStandby = (error: unknown): boolean =>
  sqlState(error) === CONFLICT ||
  UNKNOWN.has(sqlState(error)) ||
  (isDatabaseAway(error) && sqlState(error) !== TIMED_OUT)
