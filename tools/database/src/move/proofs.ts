import type { Cells } from './cell.ts'

/**
 * Charges that a transaction proves which proves a charge of another merchant in the new cell. A transaction of a rail proves
 * one charge of a cell, so the copy of these would fail.
 */
export async function findSharedProofs({ from, to }: Cells, merchantId: string): Promise<string[]> {
  const { rows: proofs } = await from.client.query<Proof>(
    `select rail, statement, 'ch_' || replace(id::text, '-', '') as charge from charges
     where statement is not null and merchant_id = $1 order by id`,
    [merchantId],
  )
  const { rows: shared } = await to.client.query<Proof & { other: string }>(
    `select p.rail, p.statement, p.charge, 'ch_' || replace(c.id::text, '-', '') as other
     from json_to_recordset($1::json) as p (rail text, statement text, charge text)
     join charges c on c.rail = p.rail and lower(c.statement) = lower(p.statement) and c.merchant_id <> $2
     order by p.charge`,
    [JSON.stringify(proofs), merchantId],
  )
  return shared.map(
    ({ rail, statement, charge, other }) =>
      `the transaction ${statement} of ${rail} proves ${charge} in ${from.name} and ${other} in ${to.name}: withdraw the wrong one (ops_withdraw_statement). If the merchant is closed already, abandon the move first`,
  )
}

interface Proof {
  readonly rail: string
  readonly statement: string
  readonly charge: string
}
