import { sql } from 'kysely'

/** What a statement does about a row that another transaction holds: it waits, or it leaves that item unwritten. */
export type HeldRows = 'wait' | 'skip'

/** Of an item that a statement left unwritten because of a row that somebody else holds: tried alone, it may wait. */
export const left = Symbol('left')

/** What follows `for update`. */
export const skipping = (held: HeldRows) => (held === 'skip' ? skipLocked : nothing)

const skipLocked = sql` skip locked`
const nothing = sql``

/**
 * SKIP LOCKED covers rows that a statement selects, and neither those that it inserts nor those that an update meets. A
 * shared statement that waits for one of these gives up (55P03), and its items are tried one by one.
 */
const SHARED_LOCK_WAIT_MS = 50

/** To be joined by the first part of a statement, so that the limit stands before any lock is taken. */
export const lockWait = (held: HeldRows) => (held === 'skip' ? limitLockWait : nothing)

const limitLockWait = sql`
  cross join (select set_config('lock_timeout', '${sql.raw(String(SHARED_LOCK_WAIT_MS))}ms', true)) lock_wait`
