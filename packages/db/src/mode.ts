import { sql } from 'kysely'
import type { Reader } from './database.ts'

/** Payments that a start reads. */
const NEWEST_MAX = 100

/**
 * Returns a fault if the newest payments were all made in the other mode. Otherwise the refund of a sandbox's payment
 * would pay real money, and the sandbox would be asked about real payments.
 */
export async function findModeFaults(reader: Reader, livemode: boolean): Promise<string[]> {
  const { count, own } = await reader
    .selectFrom(
      // The index of staff's lists has this expression.
      sql<{ readonly count: number; readonly own: number }>`(
        select count(*)::integer as count, (count(*) filter (where livemode = ${livemode}))::integer as own
        from (select livemode from payment_intents order by greatest(id) desc limit ${sql.lit(NEWEST_MAX)}) newest)`.as(
        'p',
      ),
    )
    .select(['p.count', 'p.own'])
    .executeTakeFirstOrThrow()
  if (count === 0 || own > 0) return []
  return [`has payments of ${livemode ? 'testmode' : 'livemode'}; each mode needs a database of its own`]
}
