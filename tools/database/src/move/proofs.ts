import type { Cell, Cells } from './cell.ts'
import { findMove } from './state.ts'

const ABANDON_FIRST = 'If the merchant is closed already, abandon the move first'

/** Charges that hinder a move because of the transactions that prove them. */
export const findProofFaults = async ({ from, to }: Cells, merchantId: string): Promise<string[]> =>
  [
    ...(await findSharedProofs({ from, to }, merchantId)),
    ...(await findPartedProofs(from, merchantId, from)),
  ].map((fault) => `${fault}. ${ABANDON_FIRST}`)

/**
 * Charges that a transaction proves which proves a charge of another merchant in the new cell. A transaction of a rail proves
 * one charge of a cell, so the copy of these would fail.
 */
async function findSharedProofs({ from, to }: Cells, merchantId: string): Promise<string[]> {
  const { rows: shared } = await to.client.query<Proof & { other: string }>(
    `select p.rail, p.statement, p.charge, 'ch_' || replace(c.id::text, '-', '') as other
     from json_to_recordset($1::json) as p (rail text, statement text, charge text)
     join charges c on c.rail = p.rail and lower(c.statement) = lower(p.statement) and c.merchant_id <> $2
     order by p.charge`,
    [JSON.stringify(await readProofs(from, merchantId)), merchantId],
  )
  return shared.map(
    ({ rail, statement, charge, other }) =>
      `the transaction ${statement} of ${rail} proves ${charge} in ${from.name} and ${other} in ${to.name}: withdraw the wrong one (ops_withdraw_statement)`,
  )
}

/**
 * Charges with a transaction that the rail has reported for another charge, where the merchant has one of the two. The cell
 * counts the first as unproven as long as it has both. Apart, it would be proven, and could be refunded.
 *
 * @param home where the merchant lives: its statements there count, because they cannot be withdrawn elsewhere
 */
export async function findPartedProofs(cell: Cell, merchantId: string, home: Cell): Promise<string[]> {
  const { rows } = await cell.client.query<Proof & { merchant: string; other: string }>(
    `select c.rail, c.statement, 'ch_' || replace(c.id::text, '-', '') as charge, c.merchant_id as merchant,
       'ch_' || replace(o.id::text, '-', '') as other
     from charges c cross join lateral (select proven_by(c.rail, c.statement, c.id) as id offset 0) o
     where c.statement is not null and c.rail_txn_id is null and o.id is not null
       and (c.merchant_id = $1) <> exists (select from charges t where t.merchant_id = $1 and t.id = o.id)
     order by c.id`,
    [merchantId],
  )
  const proofs = await readProofs(home, merchantId)
  const isProvenAtHome = (one: Proof) =>
    proofs.some(({ charge, statement }) => charge === one.charge && statement === one.statement)
  const faults: string[] = []
  for (const row of rows) {
    const isOwn = row.merchant === merchantId
    if (isOwn && !isProvenAtHome(row)) continue
    faults.push(
      `${row.charge} of ${row.merchant} is ruled paid with the transaction ${row.statement} of ${row.rail}, which the rail has reported for ${row.other}: withdraw the statement in ${await nameWhereItLives(isOwn ? home : cell, row.merchant)} (ops_withdraw_statement)`,
    )
  }
  return faults
}

/** A copy that a merchant has left behind cannot be changed. It goes with `forget`. */
async function nameWhereItLives(cell: Cell, merchantId: string): Promise<string> {
  const move = await findMove(cell, merchantId)
  return move?.state === 'left' ? `${move.otherCell}, and forget ${merchantId} in ${cell.name}` : cell.name
}

async function readProofs({ client }: Cell, merchantId: string): Promise<readonly Proof[]> {
  const { rows } = await client.query<Proof>(
    `select rail, statement, 'ch_' || replace(id::text, '-', '') as charge from charges
     where statement is not null and merchant_id = $1 order by id`,
    [merchantId],
  )
  return rows
}

interface Proof {
  readonly rail: string
  readonly statement: string
  readonly charge: string
}
