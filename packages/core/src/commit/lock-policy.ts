import { sql } from 'kysely'

type RowKey = readonly [merchantId: string, id: string]

/** Compares rows by their keys: a statement locks the rows of a table in this order. */
export const byKey =
  <Row>(keyOf: (row: Row) => RowKey) =>
  (a: Row, b: Row): number => {
    const [[merchant, id], [otherMerchant, otherId]] = [keyOf(a), keyOf(b)]
    return compare(merchant, otherMerchant) || compare(id, otherId)
  }

const compare = (a: string, b: string): number => Number(a > b) - Number(a < b)

export type LockPolicy = 'wait' | 'skip'

/** Result of an item that was skipped because its row is locked. The batch retries it alone, and then it may wait. */
export const skipped = Symbol('skipped')

/** Follows `for update`. */
export const skipping = (ifLocked: LockPolicy) => (ifLocked === 'skip' ? skipLocked : nothing)

const skipLocked = sql` skip locked`
const nothing = sql``

/**
 * SKIP LOCKED covers rows that a statement selects, but not rows that it inserts or that an update meets. A shared
 * statement that waits this long for one of these fails (55P03), and its items are tried one by one.
 */
const SHARED_LOCK_WAIT_MS = 50

/** The first part of a statement joins this, so that the limit is set before any lock is taken. */
export const lockWait = (ifLocked: LockPolicy) => (ifLocked === 'skip' ? limitLockWait : nothing)

const limitLockWait = sql`
  cross join (select set_config('lock_timeout', '${sql.raw(String(SHARED_LOCK_WAIT_MS))}ms', true)) lock_wait`
