import { type List, RAIL_FINDINGS_MAX, Refusal, type RailFinding } from '@merchant-payments/contract'
import { heldRow } from '../../audit/before.ts'
import { changeOnce, type Changed, type StaffRequest } from '../../audit/change.ts'
import { secondsOf } from '../../base/clock.ts'
import type { Deps } from '../../deps.ts'
import { pageOf } from '../../pages/page.ts'
import { renderPage } from '../../pages/staff/page.ts'
import type { RailCode } from '../../rails/port.ts'
import { type FindingKey, targetOf } from '../finding.ts'
import { listOpenFindings, markClosed, type OpenFinding } from '../store.ts'

export async function listRailFindings({ db }: Pick<Deps, 'db'>): Promise<List<RailFinding>> {
  const rows = await listOpenFindings(db.reader, RAIL_FINDINGS_MAX + 1)
  return renderPage('/rail_findings', pageOf(rows, { limit: RAIL_FINDINGS_MAX, endingBefore: null }), render)
}

const render = (row: OpenFinding): RailFinding => ({
  id: [row.rail, row.kind, row.reference].join(':'),
  object: 'rail_finding',
  rail: row.rail,
  kind: row.kind,
  reference: row.reference,
  answer: row.answer,
  amount: row.amount,
  currency: row.currency,
  transaction: row.transaction_id,
  merchant: row.merchant_id,
  revision: row.revision,
  created: secondsOf(row.found_at),
})

const noSuchFinding = () => new Refusal('resource_missing', 'No open finding has this name.')

const changedSince = () =>
  new Refusal(
    'finding_changed',
    'The rail has given another answer since you saw this finding. Look at it again before you close it.',
  )

/**
 * Ends a finding, once a person has decided about its money. Changes no payment.
 *
 * @throws Refusal finding_changed if its revision is not the one that the author saw; null compares nothing
 */
export function closeRailFinding(
  deps: Pick<Deps, 'db' | 'clock'>,
  request: StaffRequest,
  idText: string,
  seenRevision: number | null,
): Promise<Changed> {
  const finding = parseKey(idText)
  const { kind } = finding
  return changeOnce(
    deps,
    request,
    { action: 'rail_finding.close', target: targetOf(finding) },
    async (_db, tx) => {
      const { staff, reason, requestId } = request
      const closed = await markClosed(tx, finding, { name: staff.subject, reason, requestId }, deps.clock())
      if (closed === null) throw noSuchFinding()
      const { merchantId, answer, revision } = closed
      if (seenRevision !== null && revision !== seenRevision) throw changedSince()
      return {
        merchantId,
        before: heldRow({ kind, answer, open: true }),
        after: { kind, answer, open: false },
      }
    },
  )
}

function parseKey(text: string): FindingKey {
  const [, rail, kind, reference = ''] =
    /^([a-z][a-z0-9_]{0,63}):(charge|payout):([\da-zA-Z-]{1,64})$/.exec(text) ?? []
  if (rail === undefined || (kind !== 'charge' && kind !== 'payout')) throw noSuchFinding()
  return { rail: rail as RailCode, kind, reference }
}
