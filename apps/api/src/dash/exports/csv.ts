import type { Cell } from '@merchant-payments/core'

/** Excel reads a file as UTF-8 only with this mark. */
const BYTE_ORDER_MARK = '\uFEFF'

/** A spreadsheet runs a text that begins with one of these, or with its full-width form, as a formula (OWASP). */
const formula = /^[=+\-@\t\r\n＝＋－＠]/u
/**
 * A formula after a separator. Excel cuts lines at the separator of its language, in French a semicolon. A quote in the
 * middle of what it takes for a cell does not stop it.
 */
const innerFormula = /([;,\t\r\n]"*)(?=[=+\-@＝＋－＠])/gu
const special = /[",;\t\r\n]/

/** An apostrophe makes a spreadsheet show the text. A number is never changed, so that it can be added up. */
function textOf(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  const text = (formula.test(cell) ? `'${cell}` : cell).replaceAll(innerFormula, "$1'")
  return special.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const lineOf = (cells: readonly Cell[]): string => `${cells.map(textOf).join(',')}\r\n`

/** Writes RFC 4180 lines, one chunk for each part. */
export async function* csvOf(
  heads: readonly string[],
  parts: AsyncIterable<readonly (readonly Cell[])[]>,
): AsyncGenerator<string, void, undefined> {
  yield BYTE_ORDER_MARK + lineOf(heads)
  for await (const rows of parts) {
    if (rows.length > 0) yield rows.map(lineOf).join('')
  }
}
