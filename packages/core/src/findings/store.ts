import { instant, type RailFindingTable, type Reader, type Tx } from '@merchant-payments/db'
import { type Selectable, sql } from 'kysely'
import type { MerchantId } from '../base/ids.ts'
import type { RailCode } from '../rails/port.ts'
import type { Finding, FindingKey, Operator, Sighting } from './finding.ts'

type Answer = RailFindingTable['answer']

interface Had {
  readonly known: boolean
  readonly answer: Answer | null
}

/**
 * A charge without a token, at a rail that answers for nothing else, counts as unknown unless it is paid: the worker cannot
 * ask about it, and the answer to its submit may have been lost with a restore.
 *
 * @param byToken the rails that answer for a token alone
 * @returns an entry for each sighting, in their order
 */
export async function findKnown(
  reader: Reader,
  sightings: readonly Sighting[],
  byToken: readonly RailCode[],
): Promise<Had[]> {
  const rows = await reader
    .selectFrom(
      sql<Had & { readonly n: number }>`(
        select s.n, f.answer, case s.kind
          when 'charge' then exists (
            select from charges c where c.rail = s.rail and c.reference = s.reference
              and (c.rail_token is not null or c.status in ('succeeded', 'duplicate') or c.rail <> all (${byToken}::text[])))
          else exists (select from refunds r where r.rail = s.rail and r.reference = s.reference)
            or exists (select from charge_returns t where t.rail = s.rail and t.reference = s.reference) end as known
        from unnest(${sightings.map(({ rail }) => rail)}::text[], ${sightings.map(({ kind }) => kind)}::text[],
          ${sightings.map(({ reference }) => reference)}::text[]) with ordinality as s (rail, kind, reference, n)
        left join rail_findings f on f.rail = s.rail and f.kind = s.kind and f.reference = s.reference)`.as<'r'>(
        sql.ref('r'),
      ),
    )
    .select(['r.known', 'r.answer'])
    .orderBy('r.n')
    .execute()
  return rows.map(({ known, answer }) => ({ known, answer }))
}

interface Written {
  readonly before: Answer | null
  readonly revision: number
}

/** @returns null if another run was first */
export async function insertFinding(tx: Tx, finding: Finding, nowMs: number): Promise<Written | null> {
  const row = await tx
    .insertInto('rail_findings')
    .values({
      ...keyOf(finding),
      ...answerOf(finding),
      source: finding.source,
      merchant_id: finding.merchant,
      object: finding.object,
      found_at: instant(nowMs),
      answered_at: instant(nowMs),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('revision')
    .executeTakeFirst()
  return row === undefined ? null : { before: null, revision: row.revision }
}

/** Replaces a recorded answer by another one, and opens a finding that was closed. @returns null if none differs */
export async function updateFinding(tx: Tx, finding: Finding, nowMs: number): Promise<Written | null> {
  const { rail, kind, reference } = keyOf(finding)
  const before = await tx
    .selectFrom('rail_findings')
    .select(['answer', 'revision'])
    .where('rail', '=', rail)
    .where('kind', '=', kind)
    .where('reference', '=', reference)
    .where('answer', '<>', finding.answer)
    .forUpdate()
    .executeTakeFirst()
  if (before === undefined) return null
  const revision = before.revision + 1
  await tx
    .updateTable('rail_findings')
    .set({
      ...answerOf(finding),
      answered_at: instant(nowMs),
      revision,
      closed_at: null,
      closed_by: null,
      closing_reason: null,
    })
    .where('rail', '=', rail)
    .where('kind', '=', kind)
    .where('reference', '=', reference)
    .execute()
  return { before: before.answer, revision }
}

interface Closed {
  readonly merchantId: MerchantId | null
  readonly answer: Answer
  readonly revision: number
}

export async function markClosed(
  tx: Tx,
  { rail, kind, reference }: FindingKey,
  { name, reason }: Operator,
  nowMs: number,
): Promise<Closed | null> {
  const row = await tx
    .updateTable('rail_findings')
    .set({ closed_at: instant(nowMs), closed_by: name, closing_reason: reason })
    .where('rail', '=', rail)
    .where('kind', '=', kind)
    .where('reference', '=', reference)
    .where('closed_at', 'is', null)
    .returning(['merchant_id', 'answer', 'revision'])
    .executeTakeFirst()
  if (row === undefined) return null
  return { merchantId: row.merchant_id as MerchantId | null, answer: row.answer, revision: row.revision }
}

const openColumns = [
  'rail',
  'kind',
  'reference',
  'answer',
  'amount',
  'currency',
  'transaction_id',
  'merchant_id',
  'revision',
  'found_at',
] as const satisfies readonly (keyof RailFindingTable)[]

export type OpenFinding = Pick<Selectable<RailFindingTable>, (typeof openColumns)[number]>

export const listOpenFindings = (reader: Reader, max: number): Promise<OpenFinding[]> =>
  reader
    .selectFrom('rail_findings')
    .select(openColumns)
    .where('closed_at', 'is', null)
    .orderBy('found_at')
    .limit(max)
    .execute()

const OPEN_MAX = 10_000

export async function countOpenFindings(reader: Reader): Promise<ReadonlyMap<string, number>> {
  const rows = await reader
    .selectFrom(
      sql<{ readonly rail: string; readonly open: number }>`(
        select f.rail, count(*)::integer as open
        from (select rail from rail_findings where closed_at is null limit ${sql.lit(OPEN_MAX)}) f
        group by f.rail)`.as<'r'>(sql.ref('r')),
    )
    .select(['r.rail', 'r.open'])
    .execute()
  return new Map(rows.map(({ rail, open }) => [rail, open]))
}

export const factsOf = (finding: Finding) => ({
  kind: finding.kind,
  answer: finding.answer,
  amount: finding.amountMinor,
  currency: finding.currency,
  transaction: finding.transactionId,
  object: finding.object,
  source: finding.source,
})

const keyOf = ({ rail, kind, reference }: Finding) => ({ rail, kind, reference })

const answerOf = ({ answer, amountMinor, currency, transactionId }: Finding) => ({
  answer,
  amount: amountMinor,
  currency,
  transaction_id: transactionId,
})
