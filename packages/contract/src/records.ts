/** What may separate the cells of an operator's statement. */
export const statementDelimiters = [',', ';', '\t', '|'] as const

/**
 * The ends of the records of a CSV text, each after its line break. A line break within a quoted cell ends none, and a quote
 * opens a cell only at its start, as papaparse reads them. The dashboard, the command and the api cut files here.
 *
 * @param from the start of a record
 * @param delimiters each character separates cells; all of `statementDelimiters` if the file's own is not known
 */
export function* recordEnds(text: string, from: number, delimiters: string): Generator<number, void> {
  let at = text[from] === '\uFEFF' ? from + 1 : from
  for (;;) {
    if (text[at] === '"') at = endOfQuoted(text, at, delimiters)
    while (at < text.length && text[at] !== '\n' && !delimiters.includes(text[at] ?? '')) at += 1
    if (at >= text.length) return
    at += 1
    if (text[at - 1] === '\n') yield at
  }
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
  while (text[at] === ' ') at += 1
  const next = text[at]
  return next === undefined || next === '\n' || next === '\r' || delimiters.includes(next)
}
