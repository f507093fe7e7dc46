import { Refusal, type Statement as WireStatement } from '@merchant-payments/contract'
import type { StatementId } from '../base/ids.ts'
import type { Deps } from '../deps.ts'
import { renderStatement, type StatementPart } from './statement.ts'
import { findStatement, insertPart, lockStatement } from './store.ts'

export const noSuchStatement = () => new Refusal('resource_missing', 'No such statement.')

/**
 * Adds the next part of a file. A part that was taken before changes nothing, so that a part without an answer can be sent
 * again.
 *
 * @throws Refusal resource_missing; statement_not_open; invalid_request for a part out of order
 */
export async function addPart(
  { db }: Pick<Deps, 'db'>,
  id: StatementId,
  part: StatementPart,
): Promise<WireStatement> {
  await db.transact(async (tx) => {
    const statement = await lockStatement(tx, id)
    if (statement === undefined) throw noSuchStatement()
    if (statement.status !== 'reading') {
      throw new Refusal('statement_not_open', 'The statement takes no more lines. Upload the file again.')
    }
    if (part.number > statement.parts) {
      throw new Refusal('invalid_request', `must be ${statement.parts}, the next part`, { param: 'part' })
    }
    if (part.number === statement.parts) await insertPart(tx, statement, part)
  })
  const statement = await findStatement(db.reader, id)
  if (statement === undefined) throw noSuchStatement()
  return renderStatement(statement)
}
