import { setImmediate } from 'node:timers/promises'
import type { Config } from '@merchant-payments/config'
import { recordEnds } from '@merchant-payments/contract/records'
import type { StatementLine, StatementPart } from '@merchant-payments/core'
import Papa from 'papaparse'

/** Which column of a rail's statement is what, from the configuration. */
export type StatementColumns = Config['statements'][number]

/** A fault of the file, with its line. */
export class StatementError extends Error {}

/** As of the columns of the database. */
const NAME_CHARS_MAX = 64
const AMOUNT_MAX = 9_999_999_999_999

const digits = { XAF: 0, EUR: 2 } as const

export const offsetSecOf = ({ utcOffset }: Pick<StatementColumns, 'utcOffset'>): number => {
  const [hours = 0, minutes = 0] = utcOffset.slice(1).split(':').map(Number)
  return (utcOffset.startsWith('-') ? -1 : 1) * (hours * 3_600 + minutes * 60)
}

/** Characters that are read without a break: some milliseconds. */
const STEP_CHARS = 64 * 1_024

/**
 * Reads a part as `readPart` does, some lines at a time, so that other work of the process goes on in between.
 *
 * @throws StatementError
 */
export async function readPartInSteps(
  columns: StatementColumns,
  text: string,
  heads: readonly string[] | null,
): Promise<Omit<StatementPart, 'number'>> {
  const money: StatementLine[] = []
  let found: readonly string[] | null = null
  let lines = 0
  let from = 0
  do {
    const end = endOfStep(text, from, columns.delimiter)
    const step = readPart(columns, text.slice(from, end), heads ?? found, lines)
    found ??= step.heads
    for (const line of step.money) money.push({ ...line, offset: lines + line.offset })
    lines += step.lines
    from = end
    await setImmediate()
  } while (from < text.length)
  return { heads: found, lines, money }
}

/** The end of the first record that ends at least so many characters on. */
function endOfStep(text: string, from: number, delimiter: string): number {
  for (const end of recordEnds(text, from, delimiter)) if (end >= from + STEP_CHARS) return end
  return text.length
}

/**
 * Reads whole lines of a statement. Lines before the heads are left out, and so are heads that are repeated and lines that
 * moved no money. Nothing of a payer is kept.
 *
 * @param heads those of an earlier part; null for the first one
 * @param linesBefore lines of the part that come before these, for the messages
 * @throws StatementError
 */
export function readPart(
  columns: StatementColumns,
  text: string,
  heads: readonly string[] | null,
  linesBefore = 0,
): Omit<StatementPart, 'number'> {
  const { data, errors } = Papa.parse<string[]>(text.replace(/^\uFEFF/, ''), {
    delimiter: columns.delimiter,
    skipEmptyLines: 'greedy',
  })
  const [broken] = errors
  if (broken !== undefined)
    throw new StatementError(`line ${linesBefore + (broken.row ?? 0) + 1} of the part: ${broken.message}`)
  const start = heads === null ? data.findIndex((row) => hasHeads(columns, row)) : -1
  if (heads === null && start < 0) {
    throw new StatementError(`no line of the first part names the columns ${needed(columns).join(', ')}`)
  }
  const known = heads ?? named(data[start] ?? [])
  const rows = data.slice(start + 1)
  const last = rows.at(-1)
  if (last !== undefined && last.length < known.length && !endsLine(text)) {
    throw new StatementError(
      `line ${linesBefore + rows.length} of the part: the line has ${last.length} of ${known.length} fields and no line break, as if the file was cut off: get it again. If it is whole, end it with a line break`,
    )
  }
  const placeOf = new Map(known.map((name, place) => [name, place]))
  const money = rows.flatMap((row, offset) => {
    const cell = (name: string | undefined): string =>
      name === undefined ? '' : (row[placeOf.get(name) ?? -1] ?? '').trim()
    const line = lineOf(columns, cell, offset, linesBefore)
    return line === null ? [] : [line]
  })
  return { heads: heads === null ? known : null, lines: rows.length, money }
}

/** Spreadsheets leave out the last fields of a line if they are empty, but they end each line. */
function endsLine(text: string): boolean {
  const trimmed = text.trimEnd()
  return /[\r\n]/.test(text.slice(trimmed.length))
}

const needed = ({ date, status, type, transaction }: StatementColumns) => [date, status, type, transaction]

const hasHeads = (columns: StatementColumns, row: readonly string[]): boolean => {
  const names = new Set(named(row))
  return needed(columns).every((name) => names.has(name))
}

/** Numbers heads that occur again: `Currency`, `Currency_1`. */
function named(row: readonly string[]): string[] {
  const seen = new Map<string, number>()
  return row.map((cell) => {
    const head = cell.trim()
    const times = seen.get(head) ?? 0
    seen.set(head, times + 1)
    return times === 0 ? head : `${head}_${times}`
  })
}

function lineOf(
  columns: StatementColumns,
  cell: (name: string | undefined) => string,
  offset: number,
  linesBefore: number,
): StatementLine | null {
  const kind = kindOf(columns, cell(columns.type))
  if (kind === null || !columns.succeeded.includes(cell(columns.status))) return null
  const at = (fault: string) => new StatementError(`line ${linesBefore + offset + 1} of the part: ${fault}`)
  const currency = cell(columns.currency) || columns.defaultCurrency
  // With a wrong map of columns, the cell may be a person's number or name.
  if (currency !== 'XAF' && currency !== 'EUR') throw at('the cell of the currency is neither XAF nor EUR')
  const amounts = columns.amount.map((name) => cell(name)).filter((text) => text !== '')
  // Operators with a column for each direction write 0 in the other one.
  const amountText = amounts.find((text) => !zero.test(text)) ?? amounts[0] ?? ''
  const amountMinor = minorUnitsOf(amountText, digits[currency])
  if (amountMinor === null) throw at('the amount is no number of the currency')
  const transactionId = nameOf(cell(columns.transaction))
  const reference = nameOf(cell(columns.reference))
  if (transactionId === false || reference === false) throw at('a spreadsheet has shortened the transaction')
  if (amountMinor === 0) return null
  return {
    offset,
    kind,
    reference: reference === null ? null : lowerIfUuid(reference),
    transactionId,
    amountMinor,
    currency,
    atMs: instantOf(columns, cell(columns.date), cell(columns.time)),
  }
}

function kindOf({ charges, payouts }: StatementColumns, type: string): StatementLine['kind'] | null {
  if (charges.includes(type)) return 'charge'
  return payouts.includes(type) ? 'payout' : null
}

const zero = /^[+-]?0+(?:[.,]0+)?$/
const groupedAmount = /^[+-]?([1-9]\d{0,2}(?:([.,])\d{3})(?:\2\d{3})*)(?:(?!\2)[.,](\d{1,4}))?$/
const plainAmount = /^[+-]?(\d{1,13})(?:[.,](\d{1,4}))?$/

/**
 * `10 000`, `10000.00`, `10.000,00` and `-22000`, with any space that operators write between the digits. Null for what can
 * be read in two ways. docs/spec-gaps.md: three digits after a separator are thousands in a currency without decimals.
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
  return Number.isNaN(ms) ? null : ms
}
