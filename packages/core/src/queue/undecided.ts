import { instant, type Reader } from '@merchant-payments/db'
import { sql } from 'kysely'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../base/clock.ts'
import { livesHere } from '../base/client-status.ts'
import type { Rails } from '../rails/port.ts'

const DECISION_MS = 20 * MINUTE_MS
/** At most this many open charges are read, those of the oldest payments, so that a reading stays cheap. */
const OPEN_MAX = 10_000

interface Undecided {
  readonly rail: string
  readonly waiting: number
  /** Those of them whose time has ended within the last hour, and the last six. */
  readonly withinHour: number
  readonly withinSixHours: number
  readonly oldestOpenedAtMs: number
}

/** By the partial index of open charges. A rail without such charges has no row. */
export function readUndecided(reader: Reader, rails: Rails, nowMs: number): Promise<Undecided[]> {
  if (rails.size === 0) return Promise.resolve([])
  const lateBefore = [...rails.values()].map(({ code, capabilities }) => {
    const before = instant(nowMs - capabilities.approvalWindowMs - DECISION_MS)
    return sql`(${code}::text, ${before}::timestamptz)`
  })
  const sinceHours = (hours: number) =>
    sql`(count(*) filter (where c.opened_at > w.late_before - ${sql.lit((hours * HOUR_MS) / SECOND_MS)} * interval '1 second'))::integer`
  return reader
    .selectFrom(
      sql<Undecided>`(
        select c.rail, count(*)::integer as waiting, ${sinceHours(1)} as "withinHour",
          ${sinceHours(6)} as "withinSixHours", min(c.opened_at) as "oldestOpenedAtMs"
        from (
          select rail, opened_at, merchant_id from charges where status in ('submitting', 'live', 'unconfirmed')
          order by payment_intent_id, merchant_id limit ${sql.lit(OPEN_MAX)}) c
        join (values ${sql.join(lateBefore)}) w (rail, late_before)
          on w.rail = c.rail and c.opened_at <= w.late_before
        where ${livesHere(sql`c.merchant_id`)}
        group by c.rail)`.as('u'),
    )
    .select(['u.rail', 'u.waiting', 'u.withinHour', 'u.withinSixHours', 'u.oldestOpenedAtMs'])
    .execute()
}
