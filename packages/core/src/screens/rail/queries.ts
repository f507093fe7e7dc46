import {
  type ActivityEntry,
  type AttentionItem,
  RAIL_ALERTS_MAX,
  RAIL_ERRORS_MAX,
  Refusal,
  type StaffRailDetail,
  type Statement,
} from '@merchant-payments/contract'
import { renderItem } from '../../attention/staff/queries.ts'
import { listAlertsOfRails } from '../../attention/store.ts'
import { HOUR_MS, secondsOrNull } from '../../base/clock.ts'
import { idOf } from '../../base/ids.ts'
import type { Deps } from '../../deps.ts'
import { BUCKET_MS } from '../../rollups/buckets.ts'
import { renderStatement } from '../../statements/statement.ts'
import { listStatementRows } from '../../statements/store.ts'
import { none, renderOutcomes } from '../analytics/queries.ts'
import { readRails } from '../analytics/store.ts'
import { renderRail } from '../deployment/queries.ts'
import { NEWEST_CHARGES, OPEN_MAX, type RailErrorRow, readErrors, readOpenCharges } from './store.ts'

const STATEMENTS_MAX = 20
const ERRORS_MS = 24 * HOUR_MS

/** @throws Refusal resource_missing */
export async function getStaffRail(
  { db, clock, rails, deployment }: Pick<Deps, 'db' | 'clock' | 'rails' | 'deployment'>,
  code: string,
): Promise<StaffRailDetail> {
  const rail = [...rails.values()].find((one) => one.code === code)
  if (rail === undefined) throw new Refusal('resource_missing', 'No such rail.')
  const { lists: reader } = db
  const nowMs = clock()
  const fromMs = Math.floor((nowMs - HOUR_MS) / BUCKET_MS) * BUCKET_MS
  const [outcomes, open, errors, alertRows, statementRows] = await Promise.all([
    readRails(reader, { sizeMin: 5, fromMs, untilMs: nowMs, merchantId: null, rail: code }),
    readOpenCharges(reader, code),
    readErrors(reader, { rail: code, sinceMs: nowMs - ERRORS_MS, max: RAIL_ERRORS_MAX }),
    listAlertsOfRails(reader, { rails: [code], beforeMs: null, max: RAIL_ALERTS_MAX }),
    listStatementRows(reader, { rail: code, day: null, before: null, limit: STATEMENTS_MAX }),
  ])
  const alerts = alertRows.map(renderItem)
  return {
    ...renderRail(rail, deployment),
    health: renderOutcomes(outcomes[0] ?? none),
    open: [...open.counts],
    open_searched_at_most: OPEN_MAX,
    open_is_cut: open.is_cut,
    last_errors: errors.map(renderError),
    looked_at_most: NEWEST_CHARGES,
    alerts,
    timeline: timelineOf(alerts, statementRows.map(renderStatement)),
  }
}

const renderError = (row: RailErrorRow): StaffRailDetail['last_errors'][number] => ({
  charge: idOf('ch', row.id),
  payment_intent: idOf('pi', row.payment_intent_id),
  merchant: row.merchant_id,
  code: row.rail_code,
  message: row.rail_message,
  at: secondsOrNull(row.settled_at),
})

const timelineOf = (alerts: readonly AttentionItem[], statements: readonly Statement[]): ActivityEntry[] =>
  [...alerts.flatMap(ofAlert), ...statements.flatMap(ofStatement)].toSorted((a, b) => b.at - a.at)

const noMoney = { amount: null, currency: null } as const

function ofAlert({ alert, about, payment_intent, created, resolved_at: at }: AttentionItem): ActivityEntry[] {
  const entry = { source: 'alert', id: about, about: alert, payment_intent, ...noMoney } as const
  const raised: ActivityEntry = { ...entry, at: created, text: 'raised' }
  return at === null ? [raised] : [{ ...entry, at, text: 'resolved' }, raised]
}

function ofStatement({ id, day, created, closed_at: at }: Statement): ActivityEntry[] {
  const entry = { source: 'statement', id, about: day, payment_intent: null, ...noMoney } as const
  const uploaded: ActivityEntry = { ...entry, at: created, text: 'uploaded' }
  return at === null ? [uploaded] : [{ ...entry, at, text: 'closed' }, uploaded]
}
