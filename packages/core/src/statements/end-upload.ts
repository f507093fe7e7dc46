import { type AuditEntry as WireEntry, Refusal } from '@merchant-payments/contract'
import type { Tx } from '@merchant-payments/db'
import type { StaffReader } from '../audit/read.ts'
import { renderAuditEntry } from '../audit/render.ts'
import { getReasonOf, recordAuditEntry } from '../audit/store.ts'
import { idOf, mintId } from '../base/ids.ts'
import type { Deps } from '../deps.ts'
import type { StatementRow } from './statement.ts'
import { setStatus } from './store.ts'

/**
 * Ends the upload of a file that is there in whole. Only its sender knows how many parts it has: of half a file every
 * other payment would be missing.
 *
 * @returns the audit entry, with the reason for which the upload was begun
 * @throws Refusal invalid_request; statement_incomplete; statement_unreadable
 */
export async function endUpload(
  tx: Tx,
  { clock }: Pick<Deps, 'clock'>,
  { staff: actor, requestId }: StaffReader,
  statement: StatementRow,
  parts: number | null,
): Promise<WireEntry> {
  requireWhole(statement, parts)
  await setStatus(tx, statement, 'matching')
  const { rail, day, status, lines, money_lines } = statement
  const target = idOf('st', statement.id)
  const entry = {
    id: mintId('au', clock()),
    actor,
    action: 'statement.create',
    target,
    merchantId: null,
    reason: await getReasonOf(tx, 'statement.create', target),
    before: { rail, day, status },
    after: { rail, day, status: 'matching', parts, lines, money_lines },
    requestId,
  } as const
  const fingerprint = Buffer.from(statement.id.replaceAll('-', ''), 'hex')
  return renderAuditEntry(await recordAuditEntry(tx, entry, { key: `${target} uploaded`, fingerprint }))
}

function requireWhole({ parts: taken, heads }: StatementRow, parts: number | null): void {
  if (parts === null) {
    throw new Refusal('invalid_request', 'is required until the upload has ended', { param: 'parts' })
  }
  if (parts !== taken) {
    const has = parts === 1 ? '1 part' : `${parts} parts`
    const there = taken === 1 ? '1 is' : `${taken} are`
    throw new Refusal(
      'statement_incomplete',
      `The file has ${has}, and ${there} there. Send the missing ones, or upload the file again.`,
    )
  }
  if (heads === null) {
    throw new Refusal(
      'statement_unreadable',
      'The file has none of the columns that the configuration names.',
    )
  }
}
