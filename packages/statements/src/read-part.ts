import { setImmediate } from 'node:timers/promises'
import type { Config } from '@merchant-payments/config'
import { cellsOf, recordEnds } from '@merchant-payments/contract/records'
import type { StatementLine, StatementPart } from '@merchant-payments/core'

/** Which column of a rail's statement is what, from the configuration. */
export type StatementColumns = Config['statements'][number]

/** A fault of the file, with its line if it has one. */
export class StatementError extends Error {}

/** The columns of the database hold no more. */
const NAME_CHARS_MAX = 64
/** docs/spec-gaps.md, "the size of a statement": far above what operators write. The first bounds the work of one line. */
const LINE_CHARS_MAX = 32 * 1_024
const FIELDS_MAX = 200
/** Normalising a run of combining marks takes quadratic time. */
const FIELD_CHARS_MAX = 1_000
const AMOUNT_MAX = 9_999_999_999_999
/** PostgreSQL has no year 0, and reads four digits of a year. */
const FIRST_INSTANT_MS = Date.parse('0001-01-01T00:00:00Z')
const LAST_INSTANT_MS = Date.parse('9999-12-31T23:59:59Z')

const digits = { XAF: 0, EUR: 2 } as const

export const offsetSecOf = ({ utcOffset }: Pick<StatementColumns, 'utcOffset'>): number => {
  const [hours = 0, minutes = 0] = utcOffset.slice(1).split(':').map(Number)
  return (utcOffset.startsWith('-') ? -1 : 1) * (hours * 3_600 + minutes * 60)
}

/** Characters that are read without a break: some milliseconds, also of an attacker's. */
const STEP_CHARS = 16 * 1_024
/** A short line costs about as much as this many characters. */
const LINE_COST_CHARS = 50

type Part = Omit<StatementPart, 'number'>

/**
 * Reads a part as `readPart` does, some lines at a time, so that other work of the process goes on in between.
 *
 * @throws StatementError
 */
export async function readPartInSteps(
  columns: StatementColumns,
  text: string,
  heads: readonly string[] | null,
  linesBefore: number | null = null,
): Promise<Part> {
  const steps = stepsOf(columns, text, heads, linesBefore)
  for (;;) {
    await setImmediate()
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/**
 * Reads whole lines of a statement. Lines before the heads are left out, and so are heads that are repeated and lines that
 * moved no money. Nothing of a payer is kept.
 *
 * @param heads those of an earlier part; null for the first one
 * @param linesBefore lines of the file before this part; null if the sender does not say, whose faults name lines of the part
 * @throws StatementError
 */
export function readPart(
  columns: StatementColumns,
  text: string,
  heads: readonly string[] | null,
  linesBefore: number | null = null,
): Part {
  const steps = stepsOf(columns, text, heads, linesBefore)
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}

/** Gives way after some records. */
function* stepsOf(
  spelled: StatementColumns,
  text: string,
  known: readonly string[] | null,
  linesBefore: number | null,
): Generator<void, Part> {
  const columns = composed(spelled)
  const { delimiter } = columns
  const money: StatementLine[] = []
  let heads = known
  let places = placesOf(known ?? [])
  let lines = 0
  let lineFeeds = 0
  let chars = 0
  for (const record of recordsOf(text, delimiter)) {
    const number = (linesBefore ?? 0) + lineFeeds + 1
    const at = (fault: string) =>
      new StatementError(`line ${number} of the ${linesBefore === null ? 'part' : 'file'}: ${fault}`)
    const written = cellsOf(record, delimiter)
    if (written === null) throw at('a quote does not end, or is not doubled within a quoted field')
    requireSize(record, written, at)
    const cells = written.map((cell) => cell.normalize('NFC'))
    if (heads === null) {
      heads = headsOf(columns, cells, at)
      places = placesOf(heads ?? [])
    } else if (cells.some((cell) => cell !== '')) {
      requireShape(columns, record, cells, { heads, places }, at)
      const line = lineOf(columns, cellIn(places, cells), lines, at)
      if (line !== null) money.push(line)
      lines += 1
    }
    lineFeeds += record.split('\n').length - 1
    chars += record.length + LINE_COST_CHARS
    if (chars < STEP_CHARS) continue
    chars = 0
    yield
  }
  if (heads === null) {
    throw new StatementError(`no line of the first part names the columns ${needed(columns).join(', ')}`)
  }
  return { heads: known === null ? heads : null, lines, money }
}

/** The last record may have no line feed. */
function* recordsOf(text: string, delimiter: string): Generator<string, void> {
  let from = 0
  for (const end of recordEnds(text, 0, delimiter)) {
    yield text.slice(from, end)
    from = end
  }
  if (from < text.length) yield text.slice(from)
}

/** An accent may be a character of its own, in the file or in the configuration. */
const composed = (columns: StatementColumns): StatementColumns =>
  JSON.parse(JSON.stringify(columns).normalize('NFC')) as StatementColumns

const CARRIAGE_RETURN_FAULT =
  'a line ends with a carriage return alone. Save the file with the line ends of Windows or Unix'

type At = (fault: string) => StatementError

/** Comes before any work that grows faster than the line. @throws StatementError */
function requireSize(record: string, cells: readonly string[], at: At): void {
  const fault = sizeFault(record, cells)
  // The line may be the whole file.
  if (fault !== null) throw at(/\r(?!\n)/.test(record) ? CARRIAGE_RETURN_FAULT : fault)
}

function sizeFault(record: string, cells: readonly string[]): string | null {
  if (record.length > LINE_CHARS_MAX) return `the line has more than ${LINE_CHARS_MAX} characters`
  if (cells.length > FIELDS_MAX) return `the line has more than ${FIELDS_MAX} fields`
  return cells.some((cell) => cell.length > FIELD_CHARS_MAX)
    ? `a field has more than ${FIELD_CHARS_MAX} characters`
    : null
}

/** @returns null for a line before the heads. @throws StatementError */
function headsOf(columns: StatementColumns, cells: readonly string[], at: At): string[] | null {
  if (!hasHeads(columns, cells)) return null
  // The first line may be joined to them.
  if (cells.some((cell) => /\r(?!\n)/.test(cell))) throw at(CARRIAGE_RETURN_FAULT)
  requireText(cells, at)
  const heads = named(cells)
  requireColumns(columns, heads, at)
  return heads
}

/**
 * A column that is not there would be read as empty, and its lines as money without a reference or in another currency. The
 * names of an amount are alternatives, of which a file has one.
 *
 * @throws StatementError
 */
function requireColumns(
  { reference, currency, time, amount, credit, debit }: StatementColumns,
  heads: readonly string[],
  at: At,
): void {
  const single = [reference, currency, time].flatMap((name) => (name === undefined ? [] : [[name]]))
  const columns = [...single, ...[amount, credit, debit].filter((names) => names !== undefined)]
  const missing = columns.find((names) => !names.some((name) => heads.includes(name)))
  if (missing === undefined) return
  const lack = missing.length === 1 ? 'do not name the column' : 'name none of the columns'
  throw at(`the heads ${lack} ${missing.join(', ')}. Correct the configuration, or get the file again`)
}

/** @throws StatementError for a line whose fields are not those of the heads */
function requireShape(
  columns: StatementColumns,
  record: string,
  cells: readonly string[],
  { heads, places }: { heads: readonly string[]; places: Places },
  at: At,
): void {
  const has = `the line has ${cells.length} of ${heads.length} fields`
  if (cells.slice(heads.length).some((cell) => cell !== '')) {
    throw at(`${has}. A field that contains the separator needs quotes`)
  }
  // Spreadsheets leave out the last fields of a line if they are empty, but they end each line.
  if (cells.length < heads.length && !record.endsWith('\n')) {
    throw at(
      `${has} and no line break, as if the file was cut off: get it again. If it is whole, end it with a line break`,
    )
  }
  requireText(cells, at)
  if (hidesLine(columns, record, places)) throw at(CARRIAGE_RETURN_FAULT)
  if (!hasHeads(columns, cells)) return
  const repeated = named(heads.map((_, place) => cells[place] ?? ''))
  if (repeated.some((name, place) => name !== heads[place])) {
    throw at('the heads are not those of the first lines. Upload the files separately')
  }
}

/** Whether a carriage return joins another line with money to this one. Two short lines have no surplus fields together. */
const hidesLine = (columns: StatementColumns, record: string, places: Places): boolean =>
  record.trimEnd().includes('\r') &&
  record
    .split(/\r(?!\n)/)
    .slice(1)
    .some((joined) => {
      const cells = cellsOf(joined.normalize('NFC'), columns.delimiter) ?? []
      return kindOf(columns, cellIn(places, cells)(columns.type)) !== null
    })

/** PostgreSQL holds neither a NUL nor half of a surrogate pair. @throws StatementError */
function requireText(cells: readonly string[], at: At): void {
  if (cells.some((cell) => cell.includes('\0') || !cell.isWellFormed())) {
    throw at('a field has a character that cannot be stored, such as a NUL')
  }
}

/** The place of each head in a line. */
type Places = ReadonlyMap<string, number>

/** The first of two heads with one name counts. */
const placesOf = (heads: readonly string[]): Places =>
  new Map(heads.map((name, place) => [name, place] as const).toReversed())

const cellIn =
  (places: Places, cells: readonly string[]) =>
  (name: string | undefined): string =>
    name === undefined ? '' : (cells[places.get(name) ?? -1] ?? '')

const needed = ({ date, status, type, transaction }: StatementColumns) => [date, status, type, transaction]

const hasHeads = (columns: StatementColumns, row: readonly string[]): boolean => {
  // Spares most lines the numbering of their cells.
  if (!row.some((cell) => cell !== '' && columns.date.startsWith(cell))) return false
  const names = new Set(named(row))
  return needed(columns).every((name) => names.has(name))
}

/** Numbers heads that occur again: `Currency`, `Currency_1`. */
function named(row: readonly string[]): string[] {
  const seen = new Map<string, number>()
  return row.map((head) => {
    const times = seen.get(head) ?? 0
    seen.set(head, times + 1)
    return times === 0 ? head : `${head}_${times}`
  })
}

function lineOf(
  columns: StatementColumns,
  cell: (name: string | undefined) => string,
  offset: number,
  at: At,
): StatementLine | null {
  const kind = kindOf(columns, cell(columns.type))
  if (kind === null || !columns.succeeded.includes(cell(columns.status))) return null
  const currency = cell(columns.currency) || columns.defaultCurrency
  // With a wrong map of columns, the cell may be a person's number or name.
  if (currency !== 'XAF' && currency !== 'EUR') throw at('the cell of the currency is neither XAF nor EUR')
  const { column, text } = amountOf(columns, cell)
  if (column === null) throw at('the line has a credit and a debit')
  const unsigned = minorUnitsOf(text, digits[currency])
  if (unsigned === null) throw at('the amount is no number of the currency')
  const transactionId = nameOf(cell(columns.transaction))
  const reference = nameOf(cell(columns.reference))
  if (transactionId === false || reference === false) throw at('a spreadsheet has shortened the transaction')
  if (unsigned === 0) return null
  return {
    offset,
    kind,
    reference: reference === null ? null : lowerIfUuid(reference),
    transactionId,
    amountMinor: isReversal(columns, kind, column, text.startsWith('-')) ? -unsigned : unsigned,
    currency,
    atMs: instantOf(columns, cell(columns.date), cell(columns.time)),
  }
}

function kindOf({ charges, payouts }: StatementColumns, type: string): StatementLine['kind'] | null {
  if (charges.includes(type)) return 'charge'
  return payouts.includes(type) ? 'payout' : null
}

type AmountColumn = 'amount' | 'credit' | 'debit'

/** The cell with the money. The column is null if a credit and a debit both have some. */
function amountOf(
  columns: StatementColumns,
  cell: (name: string) => string,
): { column: AmountColumn | null; text: string } {
  const filled = (['amount', 'credit', 'debit'] as const).flatMap((column) =>
    (columns[column] ?? []).map((name) => ({ column, text: cell(name) })).filter(({ text }) => text !== ''),
  )
  // Operators with a column for each direction write 0 in the other one.
  const moved = filled.filter(({ text }) => !zero.test(text))
  const [first = { column: 'amount', text: '' } as const] = [...moved, ...filled]
  return moved.some(({ column }) => column !== first.column) ? { column: null, text: '' } : first
}

/** Whether the money moved against the direction of its kind: a charge went out, or a payout came in. */
function isReversal(
  { payoutSign }: StatementColumns,
  kind: StatementLine['kind'],
  column: AmountColumn,
  isNegative: boolean,
): boolean {
  if (column === 'credit') return (kind === 'charge') === isNegative
  if (kind === 'charge') return column === 'debit' || isNegative
  // Some operators write payouts as negative numbers, others as positive ones.
  return payoutSign !== undefined && (payoutSign === 'negative') !== isNegative
}

const zero = /^[+-]?0+(?:[.,]0+)?$/
const groupedAmount = /^[+-]?([1-9]\d{0,2}(?:([.,])\d{3})(?:\2\d{3})*)(?:(?!\2)[.,](\d{1,4}))?$/
const plainAmount = /^[+-]?(\d{1,13})(?:[.,](\d{1,4}))?$/

/**
 * `10 000`, `10000.00`, `10.000,00` and `-22000` without its sign, with any space that operators write between the digits.
 * @returns null for what can be read in two ways. docs/spec-gaps.md: three digits after a separator are thousands in a currency without decimals.
 */
function minorUnitsOf(text: string, fraction: number): number | null {
  const plain = text.replaceAll(/[\s\u00A0\u202F\u2009]/g, '')
  if (zero.test(plain)) return 0
  const [, groups = '', separator = '', decimals] = groupedAmount.exec(plain) ?? []
  if (groups !== '') {
    const isClear = fraction === 0 || decimals !== undefined || groups.split(separator).length > 2
    return isClear ? minorOf(groups.replaceAll(separator, ''), decimals ?? '', fraction) : null
  }
  const [, whole = '', part = ''] = plainAmount.exec(plain) ?? []
  return whole === '' || part.length === 3 ? null : minorOf(whole, part, fraction)
}

function minorOf(whole: string, part: string, fraction: number): number | null {
  const kept = part.slice(0, fraction).padEnd(fraction, '0')
  if (/[1-9]/.test(part.slice(fraction))) return null
  const amount = Number(whole + kept)
  return amount <= AMOUNT_MAX ? amount : null
}

/** False for a number in scientific notation, whose digits are lost. */
function nameOf(text: string): string | null | false {
  if (/^\d[.,]\d+E\+?\d+$/i.test(text)) return false
  return text === '' || text.length > NAME_CHARS_MAX ? null : text
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const lowerIfUuid = (text: string): string => (uuid.test(text) ? text.toLowerCase() : text)

/** Null if the line names no time that can be read. It only helps a person. */
function instantOf(columns: StatementColumns, date: string, time: string): number | null {
  const text = `${date} ${time}`.trim()
  const shape = columns.dayFirst
    ? /^(?<day>\d\d)[/.-](?<month>\d\d)[/.-](?<year>\d{4})(?:[ T](?<time>\d\d:\d\d(?::\d\d)?))?$/
    : /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)(?:[ T](?<time>\d\d:\d\d(?::\d\d)?))?$/
  const found = shape.exec(text)?.groups
  if (found === undefined) return null
  const ms = Date.parse(
    `${found['year']}-${found['month']}-${found['day']}T${found['time'] ?? '00:00'}${columns.utcOffset}`,
  )
  return ms >= FIRST_INSTANT_MS && ms <= LAST_INSTANT_MS ? ms : null
}
