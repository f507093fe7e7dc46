/**
 * Where the records of a CSV text end: after each line break outside quotes. As the parser reads it, a quote opens a field
 * only as its first character. This file imports nothing, so that a page can use it.
 *
 * @param from where a record begins
 */
export function* recordEnds(text: string, delimiter: string, from = 0): Generator<number, void, undefined> {
  let isQuoted = false
  let isFieldStart = true
  for (let at = from; at < text.length; at += 1) {
    const char = text[at]
    if (isQuoted) {
      if (char !== '"') continue
      if (text[at + 1] === '"') at += 1
      else isQuoted = false
    } else if (char === '"' && isFieldStart) {
      isQuoted = true
      isFieldStart = false
    } else {
      if (char === '\n') yield at + 1
      isFieldStart = char === '\n' || char === delimiter || (isFieldStart && char === '\uFEFF')
    }
  }
}

/** The end of the last whole record of a text; 0 if there is none. The rest begins the next part. */
export function endOfRecords(text: string, delimiter: string): number {
  let last = 0
  for (const end of recordEnds(text, delimiter)) last = end
  return last
}
