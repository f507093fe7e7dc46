import type { ChargeView } from '@merchant-payments/mock-rails'
import { runStatement } from './client.ts'

interface Row {
  readonly intent: string
  readonly reference: string
  readonly status: string
}

/**
 * Compares the rails' own books with the service's charges once a run has drained. Each charge must have
 * ended as its rail ended it. No charge may have been sent while an earlier one of its intent could still be
 * paid.
 *
 * @returns the violations, a line each; empty if the run passes
 */
export async function findRailViolations(
  databaseUrl: string,
  atRails: readonly ChargeView[],
): Promise<string[]> {
  const rows = await runStatement<Row>(
    databaseUrl,
    `select merchant_id || ' ' || payment_intent_id as intent, reference, status from charges`,
  )
  const books = new Map(atRails.map((charge) => [charge.reference, charge]))
  // An abandoned order reaches nobody, even if it arrived: its page was never handed out.
  const sent = rows
    .filter(({ status }) => status !== 'abandoned')
    .map((row) => ({ ...row, charge: books.get(row.reference) }))
    .filter((row): row is Sent => row.charge !== undefined)
  return [
    ...rows.flatMap((row) => disagreement(row, books.get(row.reference))),
    ...[...Map.groupBy(sent, ({ intent }) => intent).values()].flatMap(overlaps),
  ]
}

type Sent = Row & { readonly charge: ChargeView }

const paid = new Set(['SUCCESSFUL', 'SUCCESS'])
const ended = new Set(['FAILED', 'EXPIRED'])
const lateSuccesses = new Set(['480', '492', '493'])

function disagreement({ reference, status }: Row, charge: ChargeView | undefined): string[] {
  const agrees = {
    succeeded: charge !== undefined && paid.has(charge.state),
    duplicate: charge !== undefined && paid.has(charge.state),
    failed: charge === undefined || ended.has(charge.state),
    // Never at the rail. An order whose page nobody got may be there, but can only expire.
    abandoned: charge === undefined || (charge.rail === 'orange' && ended.has(charge.state)),
  }
  return agrees[status as keyof typeof agrees] === true
    ? []
    : [`${reference} is ${status}, and its rail says ${charge?.state ?? 'nothing'}`]
}

/** Uses the rails' clock, because that is when a payer is prompted. */
function overlaps(sent: readonly Sent[]): string[] {
  const inOrder = sent.toSorted((a, b) => a.charge.submittedAtMs - b.charge.submittedAtMs)
  return inOrder.flatMap(({ reference, charge }, n) => {
    const next = inOrder[n + 1]
    // A late success ends a charge a second time, after its rail had already ended it.
    if (next === undefined || lateSuccesses.has(charge.scenario)) return []
    const failedFirst = ended.has(charge.state) && (charge.finalAtMs ?? 0) <= next.charge.submittedAtMs
    return failedFirst
      ? []
      : [`${next.reference} was sent before ${reference} of the same intent had ended (${charge.state})`]
  })
}
