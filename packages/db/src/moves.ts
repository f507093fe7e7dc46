import type pg from 'pg'

/** A merchant that moves to or from this cell, or has left it. */
export interface MerchantMove {
  readonly merchantId: string
  readonly state: 'draining' | 'frozen' | 'left' | 'arriving'
  readonly otherCell: string
}

/** None in a schema that is older than moves. */
export async function readMoves(client: Pick<pg.Client, 'query'>): Promise<MerchantMove[]> {
  const { rows: tables } = await client.query(
    `select from pg_class where oid = to_regclass('merchant_moves')`,
  )
  if (tables.length === 0) return []
  const { rows } = await client.query<MerchantMove>(
    `select merchant_id as "merchantId", state, other_cell as "otherCell" from merchant_moves order by merchant_id`,
  )
  return rows
}

/** The merchants whose rows here are a copy: one that is made, or one that is left over. */
export const elsewhereOf = (moves: readonly MerchantMove[]): string[] =>
  moves.flatMap(({ merchantId, state }) => (state === 'left' || state === 'arriving' ? [merchantId] : []))
