import { DAY_MS } from '../../base/clock.ts'
import { Refusal } from '@merchant-payments/contract'
import type { Tx } from '@merchant-payments/db'
import { beforeOf, nothing } from '../../audit/before.ts'
import { changeOnce, type Changed, type StaffRequest } from '../../audit/change.ts'
import { idIn, mintId } from '../../base/ids.ts'
import type { Deps } from '../../deps.ts'
import type { RailCode } from '../../rails/port.ts'
import { lockRail } from '../comparison-store.ts'
import { noSuchStatement } from '../part.ts'
import type { StatementRow } from '../statement.ts'
import {
  close,
  findLater,
  insertStatement,
  isDayClosed,
  lockStatement,
  setStatus,
  type StatementCounts,
} from '../store.ts'

type ChangeDeps = Pick<Deps, 'db' | 'clock'>

interface WantedStatement {
  readonly rail: string
  readonly day: string
  /** The operator's zone. */
  readonly offsetSec: number
}

/** Earlier than any payment, and late enough for the ids of charges that were opened some weeks before. */
const FIRST_DAY_MS = Date.UTC(2000, 0, 1)

/** Null for text that is no day of the calendar: `Date.parse` reads 30 February as 2 March. */
function startOfDay(day: string): number | null {
  const startMs = Date.parse(`${day}T00:00:00Z`)
  if (Number.isNaN(startMs) || startMs < FIRST_DAY_MS) return null
  return new Date(startMs).toISOString().slice(0, 10) === day ? startMs : null
}

/** Begins a statement. It replaces an earlier one of the day, unless that was closed. */
export function createStatement(
  { rails, ...deps }: ChangeDeps & Pick<Deps, 'rails'>,
  request: StaffRequest,
  { rail, day, offsetSec }: WantedStatement,
): Promise<Changed> {
  const startMs = startOfDay(day)
  if (startMs === null) {
    throw new Refusal('invalid_request', 'must be a day since 2000-01-01', { param: 'day' })
  }
  if (!rails.has(rail as RailCode)) {
    throw new Refusal('invalid_request', 'must be a rail of the deployment', { param: 'rail' })
  }
  const id = mintId('st', deps.clock())
  const fromMs = startMs - offsetSec * 1_000
  return changeOnce(deps, request, { action: 'statement.create', target: id }, async (_db, tx) => {
    const wanted = { id, rail, day, fromMs, untilMs: fromMs + DAY_MS, by: request.staff }
    if (!(await insertStatement(tx, wanted, deps.clock()))) throw await whyTaken(tx, wanted)
    return { merchantId: null, before: nothing, after: { rail, day, status: 'reading' } }
  })
}

const whyTaken = async (tx: Tx, wanted: Pick<WantedStatement, 'rail' | 'day'>): Promise<Refusal> =>
  (await isDayClosed(tx, wanted))
    ? new Refusal('statement_closed', 'The day is closed. Reopen it before you upload another statement.')
    : new Refusal(
        'statement_begun',
        'Another upload of the day began at the same time. Look at its statement before you replace it.',
      )

/** @throws Refusal statement_changed if a count is not the one that the author saw; an absent one is not compared */
export const closeStatement = (
  deps: ChangeDeps,
  request: StaffRequest,
  idText: string,
  seen: { readonly [Name in keyof StatementCounts]?: number | undefined },
): Promise<Changed> =>
  changeStatement(deps, request, idText, 'statement.close', async (tx, statement) => {
    if (statement.status !== 'matched') throw notMatched()
    if (counts.some((name) => seen[name] !== undefined && seen[name] !== statement[name]))
      throw changedSince()
    await close(tx, statement, request.staff, deps.clock())
    return { status: 'closed' }
  })

export const reopenStatement = (deps: ChangeDeps, request: StaffRequest, idText: string): Promise<Changed> =>
  changeStatement(deps, request, idText, 'statement.reopen', async (tx, statement) => {
    if (statement.status !== 'closed') throw notClosed()
    await setStatus(tx, statement, 'matched')
    return { status: 'matched', ...(await findLater(tx, statement)) }
  })

function changeStatement(
  deps: ChangeDeps,
  request: StaffRequest,
  idText: string,
  action: 'statement.close' | 'statement.reopen',
  work: (tx: Tx, statement: StatementRow) => Promise<Pick<StatementRow, 'status'> & Partial<StatementCounts>>,
): Promise<Changed> {
  const id = idIn('st', idText, noSuchStatement)
  return changeOnce(deps, request, { action, target: id }, async (_db, tx) => {
    await lockRail(tx, id)
    const statement = await lockStatement(tx, id)
    if (statement === undefined) throw noSuchStatement()
    const changed = await work(tx, statement)
    const { rail, day, matched, ours_only, theirs_only, amount_differs, duplicate } = statement
    const facts = { rail, day, matched, ours_only, theirs_only, amount_differs, duplicate }
    return {
      merchantId: null,
      before: beforeOf(statement, ({ status }) => ({ ...facts, status })),
      after: { ...facts, ...changed },
    }
  })
}

const counts = ['matched', 'ours_only', 'theirs_only', 'amount_differs', 'duplicate'] as const

const changedSince = () =>
  new Refusal(
    'statement_changed',
    'The counts of the statement have changed since you saw them. Look at it again before you close the day.',
  )
const notMatched = () =>
  new Refusal('statement_not_matched', 'A day is closed once its statement is compared, and only once.')
const notClosed = () => new Refusal('statement_not_closed', 'The day is not closed.')
