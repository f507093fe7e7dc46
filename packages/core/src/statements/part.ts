import { Refusal, type Statement as WireStatement } from '@merchant-payments/contract'
import type { StatementId } from '../base/ids.ts'
import type { Deps } from '../deps.ts'
import { renderStatement, type StatementLine, type StatementPart } from './statement.ts'
import { findStatement, insertPart, lockStatement } from './store.ts'

export const noSuchStatement = () => new Refusal('resource_missing', 'No such statement.')

type Sums = Pick<WireStatement, 'charges_sum' | 'payouts_sum'>

/**
 * The sums of a statement after a part.
 *
 * @throws Refusal invalid_request if JavaScript has no exact number for one of them
 */
export function addSums(before: Sums, { money }: Pick<StatementPart, 'money'>): Sums {
  const plus = (sum: number, kind: StatementLine['kind']) =>
    money.reduce((total, line) => (line.kind === kind ? total + line.amountMinor : total), sum)
  const sums = {
    charges_sum: plus(before.charges_sum, 'charge'),
    payouts_sum: plus(before.payouts_sum, 'payout'),
  }
  if (Object.values(sums).every(Number.isSafeInteger)) return sums
  throw new Refusal(
    'invalid_request',
    'The amounts of the file are too large. Check the columns and the file.',
  )
}

/**
 * Adds the next part of a file. A part that was taken before changes nothing, so that a part without an answer can be sent
 * again.
 *
 * @throws Refusal resource_missing; statement_not_open; invalid_request for a part out of order or sums that are too large
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
    if (part.number < statement.parts) return
    // Refuses sums that the statement could not be read with.
    addSums(statement, part)
    await insertPart(tx, statement, part)
  })
  const statement = await findStatement(db.reader, id)
  if (statement === undefined) throw noSuchStatement()
  return renderStatement(statement)
}
