import type { Reader, Writer } from '@merchant-payments/db'
import { sql } from 'kysely'
import { isNotMoving } from '../base/client-status.ts'
import { type ChargeId, idOf, type MerchantId, uuidOf } from '../base/ids.ts'
import type { Raised } from '../base/raised.ts'
import { plainUuid } from '../queue/refusals.ts'
import { writeRaised } from '../commit/write-raised.ts'

export interface LostProof {
  readonly merchantId: MerchantId
  readonly charge: ChargeId
  readonly rail: string
  readonly other_charge: ChargeId
}

export const LOST_MAX = 100

const publicId = (id: string) => sql`'ch_' || ${plainUuid(id)}`

/** Reads only the charges that a statement proves, of which there are few. */
export async function findLostProofs(reader: Reader): Promise<LostProof[]> {
  const lost = sql<{ merchant_id: string; id: string; rail: string; other: string }>`(
    select s.merchant_id, s.id, s.rail, o.id as other
    from charges s cross join lateral (select proven_by(s.rail, s.statement, s.id) as id offset 0) o
    where s.statement is not null and s.rail_txn_id is null and o.id is not null and ${isNotMoving(sql.ref('s.merchant_id'))}
      and not exists (select from attention_items i where i.alert = 'charge_proof_lost' and i.object = ${publicId('s.id')}
        and i.facts ->> 'other_charge' = ${publicId('o.id')})
      and not exists (select from raised_alerts a where a.alert = 'charge_proof_lost' and a.object = ${publicId('s.id')}
        and a.facts ->> 'other_charge' = ${publicId('o.id')})
    limit ${LOST_MAX})`
  const rows = await reader
    .selectFrom(lost.as<'r'>(sql.ref('r')))
    .select(['r.merchant_id', 'r.id', 'r.rail', 'r.other'])
    .execute()
  return rows.map((row) => ({
    merchantId: row.merchant_id as MerchantId,
    charge: idOf('ch', row.id),
    rail: row.rail,
    other_charge: idOf('ch', row.other),
  }))
}

export async function insertAlerts(
  writer: Writer,
  lost: readonly LostProof[],
  raised: readonly Raised[],
  nowMs: number,
): Promise<void> {
  const uuids = lost.map(({ charge }) => uuidOf(charge))
  const parts = writeRaised(raised, sql`select unnest(${uuids}::uuid[])`, nowMs)
  await sql`with ${sql.join(parts, sql`, `)} select 1`.execute(writer)
}
