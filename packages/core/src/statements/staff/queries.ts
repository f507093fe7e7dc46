import type {
  List,
  Statement as WireStatement,
  StatementDifference as WireDifference,
  StatementVerdict,
} from '@merchant-payments/contract'
import { secondsOrNull } from '../../base/clock.ts'
import { idIn, idOf, idOrNull, type StatementId } from '../../base/ids.ts'
import type { Deps } from '../../deps.ts'
import { pageOf } from '../../pages/page.ts'
import { renderPage } from '../../pages/staff/page.ts'
import { noSuchStatement } from '../part.ts'
import { renderStatement } from '../statement.ts'
import {
  findStatement,
  listDifferences,
  listStatementRows,
  type StatementDifference,
  type StatementFilter,
} from '../store.ts'

export async function listStatements(
  { db }: Pick<Deps, 'db'>,
  { limit, ...filter }: StatementFilter & { before: StatementId | null; limit: number },
): Promise<List<WireStatement>> {
  const rows = await listStatementRows(db.reader, { ...filter, limit: limit + 1 })
  return renderPage('/statements', pageOf(rows, { limit, endingBefore: null }), renderStatement)
}

export interface DetailedStatement extends WireStatement {
  readonly differences: WireDifference[]
  readonly has_more: boolean
  /** The heads of the file's columns, once they were found. */
  readonly heads: readonly string[] | null
}

/** @throws Refusal resource_missing */
export async function getStatement(
  { db }: Pick<Deps, 'db'>,
  idText: string,
  { verdict, after, limit }: { verdict: StatementVerdict | null; after: number; limit: number },
): Promise<DetailedStatement> {
  const id = idIn('st', idText, noSuchStatement)
  const statement = await findStatement(db.reader, id)
  if (statement === undefined) throw noSuchStatement()
  const rows = await listDifferences(db.reader, { id, verdict, after, limit: limit + 1 })
  return {
    ...renderStatement(statement),
    heads: statement.heads,
    differences: rows.slice(0, limit).map((row) => renderDifference(row, statement.lines)),
    has_more: rows.length > limit,
  }
}

const renderDifference = (row: StatementDifference, lines: number): WireDifference => ({
  n: row.n,
  line: row.n > lines ? null : row.n,
  kind: row.kind,
  verdict: row.verdict as StatementVerdict,
  reference: row.reference,
  transaction: row.transaction_id,
  amount: row.amount,
  currency: row.currency,
  at: secondsOrNull(row.at),
  merchant: row.merchant_id,
  about: row.object_kind === null || row.object === null ? null : idOf(row.object_kind, row.object),
  payment_intent: idOrNull('pi', row.payment_intent_id),
  ledger_amount: row.ledger_amount,
  ledger_currency: row.ledger_currency,
  reported:
    row.reported_at === null ? null : { amount: row.reported_amount, currency: row.reported_currency },
  charge_status: row.object_status as WireDifference['charge_status'],
  unproven: row.unproven,
  payer_known: row.payer_known,
  returned: row.returned,
})
