/** What may separate the cells of an operator's statement. */
export const statementDelimiters = [',', ';', '\t', '|'] as const

/**
 * The ends of the records of a CSV text, each after its line feed. A line feed within a quoted cell ends none, and a quote
 * opens a cell only at its start. A carriage return is white space. The dashboard, the command and the api cut files here.
 *
 * @param from the start of a record
 * @param delimiters each character separates cells; all of `statementDelimiters` if the file's own is not known
 */
export function* recordEnds(text: string, from: number, delimiters: string): Generator<number, void> {
  let at = startOfRecord(text, from)
  for (;;) {
    if (text[at] === '"') at = endOfQuoted(text, at, delimiters)
    while (at < text.length && text[at] !== '\n' && !delimiters.includes(text[at] ?? '')) at += 1
    if (at >= text.length) return
    at += 1
    if (text[at - 1] !== '\n') continue
    yield at
    at = startOfRecord(text, at)
  }
}

/**
 * The cells of one record, without the white space around them.
 *
 * @param record from one end of `recordEnds` to the next one
 * @returns null if a quote does not end, or is not doubled within a quoted cell
 */
export function cellsOf(record: string, delimiter: string): string[] | null {
  const cells: string[] = []
  let at = startOfRecord(record, 0)
  for (;;) {
    const isQuoted = record[at] === '"'
    const next = record.indexOf(delimiter, isQuoted ? endOfQuoted(record, at, delimiter) : at)
    const text = record.slice(at, next < 0 ? record.length : next).trim()
    const cell = isQuoted ? unquoted(text) : text
    if (cell === null) return null
    cells.push(cell)
    if (next < 0) return cells
    at = next + 1
  }
}

/** Each of several files that were joined may begin with a byte order mark. */
const startOfRecord = (text: string, from: number): number => (text[from] === '\uFEFF' ? from + 1 : from)

function unquoted(text: string): string | null {
  const inner = text.slice(1, -1)
  const isWhole = text.length > 1 && text.endsWith('"') && !inner.replaceAll('""', '').includes('"')
  return isWhole ? inner.replaceAll('""', '"').trim() : null
}

/** The place after the closing quote; the end of the text if there is none. */
function endOfQuoted(text: string, start: number, delimiters: string): number {
  let at = text.indexOf('"', start + 1)
  while (at >= 0) {
    if (text[at + 1] === '"') at = text.indexOf('"', at + 2)
    else if (isEndOfCell(text, at + 1, delimiters)) return at + 1
    else at = text.indexOf('"', at + 1)
  }
  return text.length
}

function isEndOfCell(text: string, from: number, delimiters: string): boolean {
  let at = from
  while (isBlank(text[at]) && !delimiters.includes(text[at] ?? '')) at += 1
  const next = text[at]
  return next === undefined || next === '\n' || delimiters.includes(next)
}

const isBlank = (one: string | undefined): boolean => one === ' ' || one === '\r' || one === '\t'
