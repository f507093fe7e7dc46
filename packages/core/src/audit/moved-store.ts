import { Refusal } from '@merchant-payments/contract'
import type { Reader } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { parseId, uuidOf } from '../base/ids.ts'
import { rowById } from '../pages/staff/store.ts'

const tables = {
  pi: 'payment_intents',
  ch: 'charges',
  re: 'refunds',
  evt: 'events',
  cus: 'customers',
  in: 'invoices',
} as const

/** Tables whose primary key or a unique index is the id alone. */
const keyed = { wd: 'deliveries', att: 'attention_items', apr: 'approval_requests' } as const

type Prefix = keyof typeof tables
type Keyed = keyof typeof keyed

/** The merchant of a changed object. The target itself, if it is no object's id: it can be a merchant. */
function ownerOf(target: string): RawBuilder<unknown> {
  for (const prefix of Object.keys(keyed) as Keyed[]) {
    const id = parseId(prefix, target)
    if (id !== null)
      return sql`(select merchant_id from ${sql.table(keyed[prefix])} where id = ${uuidOf(id)}::uuid limit 1)`
  }
  for (const prefix of Object.keys(tables) as Prefix[]) {
    const id = parseId(prefix, target)
    if (id !== null) return rowById<{ merchant_id: string }>(tables[prefix], id, ['merchant_id'])
  }
  return sql`(select ${target}::text as merchant_id)`
}

/**
 * Refuses a change or a question whose merchant has left this cell. Its rows here are out of date, and nobody can
 * change them. Almost always no merchant has left, and one look at an empty table tells so.
 *
 * @param target the id of an object, or of a merchant
 * @throws Refusal merchant_moved
 */
export async function refuseMoved(reader: Reader, target: string): Promise<void> {
  const left = await reader
    .selectFrom('merchant_moves')
    .select(['merchant_id', 'other_cell'])
    .where('state', '=', 'left')
    .execute()
  if (left.length === 0) return
  const owner = await reader
    .selectFrom(sql<{ merchant_id: string }>`${ownerOf(target)}`.as<'o'>(sql.ref('o')))
    .select('o.merchant_id')
    .executeTakeFirst()
  const move = left.find(({ merchant_id }) => merchant_id === owner?.merchant_id)
  if (move === undefined) return
  throw new Refusal(
    'merchant_moved',
    `The merchant has moved to ${move.other_cell}. Use the dashboard of that cell.`,
  )
}
