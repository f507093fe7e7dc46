import {
  EXPORT_DAYS_MAX,
  EXPORT_ROWS_MAX,
  type ExportFile,
  type ExportFormat,
  type ExportKind,
  FINANCE_DAYS_MAX,
  FINANCE_ROWS_MAX,
  FINANCE_SUMMED_MAX,
  type FinanceDay,
  type FinanceSummary,
  Refusal,
  type SecondsRange,
  type ZoneName,
  zoneOffsetSec,
} from '@merchant-payments/contract'
import { type Reader, SETTLED_AFTER_MS } from '@merchant-payments/db'
import { recordRead, type StaffReader, type Viewed } from '../../audit/read.ts'
import { refuseMoved } from '../../audit/moved-store.ts'
import { findOwnEntry } from '../../audit/store.ts'
import { DAY_MS, MINUTE_MS, SECOND_MS, secondsOf } from '../../base/clock.ts'
import { type MerchantId, mintedAtMs, parseId, uuidFloorOf } from '../../base/ids.ts'
import { findNextMerchant } from '../../base/tenants.ts'
import type { Deps } from '../../deps.ts'
import { type Cell, cellsOf, dayText, headsOf, netOf, type ZoneOfSheet } from './sheets.ts'
import {
  type FinanceRow,
  findMerchantsElsewhere,
  type Part,
  readCharges,
  readIntents,
  readRefunds,
  SUMMED_MAX,
  sumMoney,
  type WalkedTable,
} from './store.ts'

/** How long the path of a file can be loaded. docs/spec-gaps.md, exports. */
const EXPORT_LINK_MS = 5 * MINUTE_MS
/** Rows of one read. Metadata can take 27 KB each, so that a read takes at most 7 MB. */
const PART_ROWS = 250
/** Without a period, sums cover this many whole days and the present one so far, in the file as on the screen. */
const FINANCE_DEFAULT_DAYS = 7
const EXPORT_DEFAULT_DAYS = 1

interface WantedExport {
  readonly of: ExportKind
  readonly format: ExportFormat
  readonly created: SecondsRange | undefined
  readonly zone: ZoneName
  readonly merchantId: MerchantId | null
  readonly rail: string | null
}

interface Period {
  readonly fromMs: number
  readonly untilMs: number
}

/**
 * Ends at a whole second before which no row can appear any more, so that the next file can begin there. A start
 * after it leaves an empty period.
 */
function periodOf(
  { of, created, zone }: Pick<WantedExport, 'of' | 'created' | 'zone'>,
  nowMs: number,
  daysMax: number,
): Period {
  const settledSec = secondsOf(nowMs - SETTLED_AFTER_MS)
  const endSec = Math.min(created?.untilSec ?? settledSec, settledSec)
  const untilMs = Math.max(endSec, created?.fromSec ?? 0) * SECOND_MS
  const isOpen = created === undefined || created.fromSec === 0
  const defaultMs =
    of === 'finance_summary'
      ? startOfDay(untilMs - FINANCE_DEFAULT_DAYS * DAY_MS, zone)
      : untilMs - EXPORT_DEFAULT_DAYS * DAY_MS
  const fromMs = isOpen ? defaultMs : created.fromSec * SECOND_MS
  if (untilMs - fromMs > daysMax * DAY_MS) {
    throw tooMuch(`must cover at most ${daysMax} days`)
  }
  return { fromMs: Math.max(0, fromMs), untilMs }
}

function startOfDay(atMs: number, zone: ZoneName): number {
  const { offsetMs } = zoneOf(zone)
  return Math.floor((atMs + offsetMs) / DAY_MS) * DAY_MS - offsetMs
}

/** Writes the audit entry, whose facts are all that the file needs. @throws Refusal invalid_request, merchant_moved */
export async function createExport(
  deps: Pick<Deps, 'db' | 'clock'>,
  by: StaffReader,
  { of, format, created, zone, merchantId, rail }: WantedExport,
): Promise<Viewed<ExportFile>> {
  const { fromMs, untilMs } = periodOf({ of, created, zone }, deps.clock(), EXPORT_DAYS_MAX)
  if (merchantId !== null) await refuseMoved(deps.db.reader, merchantId)
  const facts = { of, format, from_ms: fromMs, until_ms: untilMs, zone, rail }
  const entry = await recordRead(deps, by, { action: 'export.create', target: of, merchantId }, facts)
  const id = parseId('au', entry.id)
  if (id === null) throw new Error('an audit entry has an id of its own kind')
  const answer: ExportFile = {
    object: 'export',
    id,
    of,
    format,
    from: secondsOf(fromMs),
    until: secondsOf(untilMs),
    url: `/dash/v1/exports/${id}`,
    expires_at: secondsOf(mintedAtMs(id) + EXPORT_LINK_MS),
  }
  return { answer, entry }
}

/** A file whose rows are read while they are taken. Between two parts it holds neither a connection nor a transaction. */
export interface ExportedRows extends Period {
  readonly of: ExportKind
  readonly format: ExportFormat
  readonly heads: readonly string[]
  readonly parts: AsyncGenerator<readonly (readonly Cell[])[], void, undefined>
}

/**
 * @param gone ends the file once its reader has left
 * @throws Refusal resource_missing unless the member made this export a few minutes ago
 */
export async function openExport(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  by: StaffReader,
  idText: string,
  gone: AbortSignal,
): Promise<ExportedRows> {
  const id = parseId('au', idText)
  const row = id === null ? undefined : await findOwnEntry(db.reader, id, by.staff.subject)
  if (id === null || row?.action !== 'export.create' || clock() > mintedAtMs(id) + EXPORT_LINK_MS) {
    throw new Refusal(
      'resource_missing',
      'The file does not exist, or its link has expired. Create the export again.',
    )
  }
  const {
    of,
    format,
    from_ms: fromMs,
    until_ms: untilMs,
    zone: zoneName,
    rail,
  } = row.after as unknown as Facts
  const zone = zoneOf(zoneName)
  const scope = { of, fromMs, untilMs, zone, rail, merchantId: row.merchant_id as MerchantId | null }
  const parts = bounded(exportedRows(db.lists, scope), gone)
  return { of, format, fromMs, untilMs, heads: headsOf(of, zone), parts }
}

interface Facts extends Pick<WantedExport, 'of' | 'format' | 'zone' | 'rail'> {
  readonly from_ms: number
  readonly until_ms: number
}

const zoneOf = (zone: ZoneName): ZoneOfSheet => ({
  name: { utc: 'UTC', douala: 'Africa/Douala' }[zone],
  offsetMs: zoneOffsetSec[zone] * 1_000,
})

interface ExportScope extends Period {
  readonly of: ExportKind
  readonly zone: ZoneOfSheet
  readonly rail: string | null
  readonly merchantId: MerchantId | null
}

type Rows = AsyncGenerator<readonly (readonly Cell[])[], void, undefined>

/**
 * Ends a file at EXPORT_ROWS_MAX with a row that says so. A file does not notice that its reader has left while parts
 * have no rows, so `gone` ends it.
 */
async function* bounded(parts: Rows, gone: AbortSignal): Rows {
  let left = EXPORT_ROWS_MAX
  for await (const part of parts) {
    if (gone.aborted) return
    yield part.slice(0, left)
    left -= part.length
    if (left >= 0) continue
    yield [[`The file ends here, because it has ${EXPORT_ROWS_MAX} rows. Choose fewer days.`]]
    return
  }
}

async function* exportedRows(reader: Reader, scope: ExportScope): Rows {
  const { of } = scope
  if (of === 'finance_summary') {
    yield* financeOf(reader, scope)
    return
  }
  const away = await findMerchantsElsewhere(reader)
  for await (const merchantId of merchantsOf(reader, of, scope.merchantId)) {
    if (!away.has(merchantId)) yield* rowsOf(reader, of, scope, merchantId)
  }
}

/** Walks along each merchant's primary key, which needs no index over all merchants (docs/decisions/0009). */
async function* merchantsOf(
  reader: Reader,
  table: WalkedTable,
  only: MerchantId | null,
): AsyncGenerator<MerchantId, void, undefined> {
  if (only !== null) {
    yield only
    return
  }
  let merchantId = await findNextMerchant(reader, table, null)
  while (merchantId !== null) {
    yield merchantId
    merchantId = await findNextMerchant(reader, table, merchantId)
  }
}

const readers = {
  payment_intents: readIntents,
  charges: readCharges,
  refunds: readRefunds,
} as const

/** The rail is checked here and not in SQL, so that each statement reads a bounded number of rows. */
async function* rowsOf(
  reader: Reader,
  of: WalkedTable,
  { fromMs, untilMs, zone, rail }: ExportScope,
  merchantId: MerchantId,
): Rows {
  const read: (
    reader: Reader,
    part: Part,
  ) => Promise<readonly { readonly id: string; readonly rail: string | null }[]> = readers[of]
  const until = uuidFloorOf(untilMs)
  let after = uuidFloorOf(fromMs)
  for (;;) {
    const rows = await read(reader, { merchantId, after, until, limit: PART_ROWS })
    const wanted = rail === null ? rows : rows.filter((row) => row.rail === rail)
    yield wanted.map((row) => cellsOf(of, { ...row, merchantId } as never, zone))
    const last = rows.at(-1)
    if (last === undefined || rows.length < PART_ROWS) return
    after = last.id
  }
}

async function* financeOf(reader: Reader, { rail, ...scope }: ExportScope): Rows {
  for await (const rows of sumDays(reader, scope)) {
    const wanted = rail === null ? rows : rows.filter((row) => row.rail === rail)
    yield wanted.map((row) =>
      cellsOf('finance_summary', { ...row, merchantId: row.merchant_id as MerchantId }, scope.zone),
    )
  }
}

/** Sums each day of the zone that has any money, in statements that read a bounded number of rows of the ledger. */
async function* sumDays(
  reader: Reader,
  { fromMs, untilMs, zone: { offsetMs }, merchantId }: Period & Pick<ExportScope, 'zone' | 'merchantId'>,
): AsyncGenerator<readonly FinanceRow[], void, undefined> {
  const until = uuidFloorOf(untilMs)
  let after: string | null = uuidFloorOf(fromMs)
  /** Sums of the day at which the last statement ended. */
  let begun: readonly FinanceRow[] = []
  while (after !== null) {
    const rows: readonly FinanceRow[] = await sumMoney(reader, { merchantId, after, until }, offsetMs)
    const sums = new Map<string, FinanceRow>()
    for (const row of [...begun, ...rows.filter(({ here }) => here)]) {
      const key = `${row.day} ${nameOf(row)}`
      sums.set(key, addUp(sums.get(key), row))
    }
    after = rows[0]?.reached ?? null
    const lastDay = Math.max(...rows.map(({ day }) => day))
    const isBegun = ({ day }: FinanceRow) => after !== null && day === lastDay
    const all = [...sums.values()]
    begun = all.filter(isBegun)
    yield all.filter((row) => !isBegun(row) && hasMoney(row)).toSorted(byDay)
  }
}

const byDay = (one: FinanceRow, other: FinanceRow): number =>
  one.day - other.day || order(nameOf(one), nameOf(other))

const nameOf = (row: FinanceRow): string => [row.merchant_id, row.rail, row.currency].join(' ')

const order = (one: string, other: string): number => Number(one > other) - Number(one < other)

const hasMoney = ({ payments, duplicates, refunds, returns }: FinanceRow): boolean =>
  payments + duplicates + refunds + returns > 0

const addUp = (sum: FinanceRow | undefined, row: FinanceRow): FinanceRow =>
  sum === undefined
    ? row
    : {
        ...row,
        payments: sum.payments + row.payments,
        gross: sum.gross + row.gross,
        duplicates: sum.duplicates + row.duplicates,
        duplicates_amount: sum.duplicates_amount + row.duplicates_amount,
        refunds: sum.refunds + row.refunds,
        refunds_amount: sum.refunds_amount + row.refunds_amount,
        returns: sum.returns + row.returns,
        returns_amount: sum.returns_amount + row.returns_amount,
      }

/**
 * @param gone ends the sum with its reason between two statements
 * @throws Refusal invalid_request for too many days or rows, merchant_moved
 */
export async function getFinanceSummary(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  {
    created,
    zone: zoneName,
    merchantId,
  }: { created: SecondsRange | undefined; zone: ZoneName; merchantId: MerchantId | null },
  gone: AbortSignal,
): Promise<FinanceSummary> {
  const period = periodOf({ of: 'finance_summary', created, zone: zoneName }, clock(), FINANCE_DAYS_MAX)
  if (merchantId !== null) await refuseMoved(db.reader, merchantId)
  const zone = zoneOf(zoneName)
  const rows: FinanceRow[] = []
  let summedRows = 0
  for await (const days of sumDays(db.lists, { ...period, zone, merchantId })) {
    gone.throwIfAborted()
    rows.push(...days)
    summedRows += SUMMED_MAX
    if (rows.length > FINANCE_ROWS_MAX) {
      throw tooMuch('The summary has too many rows. Narrow `created`, or name one merchant.')
    }
    if (summedRows > FINANCE_SUMMED_MAX) {
      throw tooMuch(`must be a shorter range: the sum ended after ${FINANCE_SUMMED_MAX} rows`)
    }
  }
  // The order of days stays within each merchant.
  const byMerchant = rows.toSorted((one, other) => order(one.merchant_id, other.merchant_id))
  return {
    object: 'finance_summary',
    from: secondsOf(period.fromMs),
    until: secondsOf(period.untilMs),
    days: byMerchant.map(renderDay),
  }
}

const tooMuch = (message: string) => new Refusal('invalid_request', message, { param: 'created' })

const renderDay = (row: FinanceRow): FinanceDay => ({
  day: dayText(row.day),
  merchant: row.merchant_id,
  rail: row.rail,
  currency: row.currency,
  payments: row.payments,
  gross: row.gross,
  duplicates: row.duplicates,
  duplicates_amount: row.duplicates_amount,
  refunds: row.refunds,
  refunds_amount: row.refunds_amount,
  returns: row.returns,
  returns_amount: row.returns_amount,
  net: netOf(row),
})
