import { instant, instantOrNull, type Writer } from '@merchant-payments/db'
import { sql } from 'kysely'
import type { Part } from '../base/columns.ts'
import { type Raised, saysAnswer } from '../base/raised.ts'
import { type Id, mintId, uuidOf } from '../base/ids.ts'

const columns =
  'id uuid, merchant_id text, alert text, object text, uuid uuid, facts jsonb, looked_at timestamptz, raised_at timestamptz'

export const raisedRows = (raised: readonly Raised[], nowMs: number) =>
  raised.map(({ alert, object, facts, owner, lookedAtMs }) => ({
    id: uuidOf(mintId('att', nowMs)),
    merchant_id: owner,
    alert,
    object,
    uuid: uuidOf(object as Id<'ch'>),
    facts,
    looked_at: instantOrNull(lookedAtMs),
    raised_at: instant(nowMs),
  }))

const insertRaised = (json: Part): Part => sql`
  insert into raised_alerts (id, merchant_id, alert, object, facts, looked_at, raised_at)
  select w.id, w.merchant_id, w.alert, w.object, w.facts, w.looked_at, w.raised_at
  from jsonb_to_recordset(${json}::jsonb) as w (${sql.raw(columns)})`

/**
 * Writes the alerts of a change with it. The part only inserts rows that no other statement touches, so it waits for
 * no lock. A pass of the worker makes items of the inbox of them (`attention/record.ts`).
 *
 * @param json the rows of `raisedRows`
 * @param changed a select of the ids of the objects that the statement changes; other objects' alerts are not written
 */
export const raisedPart = (json: Part, changed: Part, name = 'raised_rows'): Part => sql`
  ${sql.table(name)} as (
    ${insertRaised(json)} where w.uuid in (${changed})
  )`

export const writeRaised = (
  raised: readonly Raised[],
  changed: Part,
  nowMs: number,
  name?: string,
): Part[] =>
  raised.length === 0 ? [] : [raisedPart(sql`${JSON.stringify(raisedRows(raised, nowMs))}`, changed, name)]

export const andRaised = (...given: Parameters<typeof writeRaised>): Part => {
  const [part] = writeRaised(...given)
  return part === undefined ? sql`` : sql`, ${part}`
}

/**
 * Writes only the alerts that a rail's answer raised. Used when the change itself was not written, because another
 * process was first or another transaction holds the rows. It changes no row, so it waits for no lock. Alerts about a
 * change that was not made are left out, because the next check raises them again if they still hold.
 */
export async function writeSkipped(writer: Writer, raised: readonly Raised[], nowMs: number): Promise<void> {
  const rows = raisedRows(raised.filter(saysAnswer), nowMs)
  if (rows.length === 0) return
  await insertRaised(sql`${JSON.stringify(rows)}`).execute(writer)
}
