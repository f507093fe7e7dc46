import pg from 'pg'

/** SQLSTATE feature_not_supported has other causes too, which only the routine tells apart. */
const FEATURE_NOT_SUPPORTED = '0A000'
const ROUTINE = 'RevalidateCachedQuery'

/** Whether the server refused a prepared statement because a migration has changed the type of its result. */
export const isStalePlan = (error: unknown): error is pg.DatabaseError =>
  error instanceof pg.DatabaseError && error.code === FEATURE_NOT_SUPPORTED && error.routine === ROUTINE
