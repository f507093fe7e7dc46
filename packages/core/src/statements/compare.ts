import type { Statement as WireStatement } from '@merchant-payments/contract'
import type { Tx } from '@merchant-payments/db'
import type { StaffReader, Viewed } from '../audit/read.ts'
import type { MerchantId, StatementId } from '../base/ids.ts'
import { findNextMerchant } from '../base/tenants.ts'
import type { Deps } from '../deps.ts'
import {
  type Cursor,
  compareLines,
  compareObjects,
  isWholePage,
  lockRail,
  moveCursor,
  removeReplaced,
} from './comparison-store.ts'
import { endUpload } from './end-upload.ts'
import { noSuchStatement } from './part.ts'
import type { Side } from './sides-store.ts'
import { renderStatement, type StatementRow } from './statement.ts'
import { lockStatement, setStatus } from './store.ts'

/** How long one call compares. The caller calls again until the statement is `matched`. */
const COMPARE_MS = 2_000

/**
 * Compares page by page in transactions of their own, and changes neither side. The next caller continues, so that
 * nothing is lost if one goes away. The first call ends the upload.
 *
 * @param parts how many parts the file has; null once the upload has ended
 * @returns the statement as the primary has it, with the audit entry of the upload's end
 * @throws Refusal resource_missing, and the refusals of `endUpload`
 */
export async function compareStatement(
  deps: Pick<Deps, 'db' | 'clock'>,
  by: StaffReader,
  id: StatementId,
  parts: number | null,
): Promise<Viewed<WireStatement>> {
  const { db, clock } = deps
  const untilMs = clock() + COMPARE_MS
  const inTurn = <T>(work: (tx: Tx, statement: StatementRow) => Promise<T>): Promise<T> =>
    db.transact(async (tx) => {
      await lockRail(tx, id)
      const statement = await lockStatement(tx, id)
      if (statement === undefined) throw noSuchStatement()
      return work(tx, statement)
    })
  const entry = await inTurn(async (tx, statement) =>
    statement.status === 'reading' ? endUpload(tx, deps, by, statement, parts) : null,
  )
  let goesOn = true
  while (goesOn) goesOn = (await inTurn(compareMore)) && clock() < untilMs
  return { answer: await inTurn(async (_tx, statement) => renderStatement(statement)), entry }
}

/** @returns whether more is left */
async function compareMore(tx: Tx, statement: StatementRow): Promise<boolean> {
  if (statement.status !== 'matching') return false
  const next = await advance(tx, statement)
  await moveCursor(tx, statement, next)
  if (next.step === 'done') await setStatus(tx, statement, 'matched')
  return next.step !== 'done'
}

const first = (step: Cursor['step']): Cursor => ({ step, merchantId: null, after: null, n: 0 })

/** The lines of the statement have their verdicts, so rows that it replaced can go. */
const removing: Cursor = { ...first('replaced'), n: 1 }

const tables = { charges: 'charges', refunds: 'refunds', returns: 'charge_returns' } as const
const afterSide = { charges: 'refunds', refunds: 'returns', returns: 'lines' } as const

function advance(tx: Tx, statement: StatementRow): Promise<Cursor> {
  const { step } = statement
  switch (step) {
    case 'replaced':
      // A new statement is at this step, too, with nothing compared.
      if (statement.cursor_n === 0) return Promise.resolve(first('charges'))
      return removeReplaced(tx, statement).then((more) => (more ? removing : first('done')))
    case 'charges':
    case 'refunds':
    case 'returns':
      return walkObjects(tx, statement, step)
    case 'lines':
      return compareLines(tx, statement, statement.cursor_n).then((n) =>
        n === null ? removing : { ...first('lines'), n },
      )
    case 'done':
      return Promise.resolve(first('done'))
  }
}

/** Walks along each merchant's primary key, so that it needs no index of the rail. */
async function walkObjects(tx: Tx, statement: StatementRow, side: Side): Promise<Cursor> {
  const { cursor_merchant: known, cursor_id: after } = statement
  const merchantId = (known ?? (await findNextMerchant(tx, tables[side], null))) as MerchantId | null
  if (merchantId === null) return first(afterSide[side])
  const compared = await compareObjects(tx, statement, side, merchantId, after)
  if (isWholePage(compared)) return { ...first(side), merchantId, after: compared.last }
  const next = await findNextMerchant(tx, tables[side], merchantId)
  return next === null ? first(afterSide[side]) : { ...first(side), merchantId: next }
}
