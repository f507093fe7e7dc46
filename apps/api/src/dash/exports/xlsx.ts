import { Readable } from 'node:stream'
import type { Cell } from '@merchant-payments/core'
import { ZipFile } from 'yazl'

const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const SHEET = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'

/** The parts of a workbook with one sheet, besides the sheet (ECMA-376). */
const fixedParts: Readonly<Record<string, string>> = {
  '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>`,
  '_rels/.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `<workbook xmlns="${SHEET}" xmlns:r="${OFFICE}"><sheets><sheet name="Export" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
}

/** Characters of a cell. Excel refuses a file with a longer one. */
const CELL_CHARS_MAX = 32_767
const CUT = '… (cut; the CSV file has all of it)'

/** XML 1.0 has no spelling for these. */
const unwritable =
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  /[\0-\x08\v\f\x0E-\x1F\uFFFE\uFFFF]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g

const fitting = (text: string): string =>
  text.length > CELL_CHARS_MAX ? text.slice(0, CELL_CHARS_MAX - CUT.length) + CUT : text

const escaped = (text: string): string =>
  fitting(text)
    .replaceAll(unwritable, '\uFFFD')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')

/** An inline text is never run as a formula. */
function cellOf(cell: Cell): string {
  if (cell === null) return '<c/>'
  if (typeof cell === 'number') return `<c><v>${cell}</v></c>`
  return `<c t="inlineStr"><is><t xml:space="preserve">${escaped(cell)}</t></is></c>`
}

const rowOf = (cells: readonly Cell[]): string => `<row>${cells.map(cellOf).join('')}</row>`

async function* sheetOf(
  heads: readonly string[],
  parts: AsyncIterable<readonly (readonly Cell[])[]>,
): AsyncGenerator<string, void, undefined> {
  yield `${DECLARATION}<worksheet xmlns="${SHEET}"><sheetData>${rowOf(heads)}`
  for await (const rows of parts) {
    if (rows.length > 0) yield rows.map(rowOf).join('')
  }
  yield '</sheetData></worksheet>'
}

/** A stream of the file's bytes. It reads the next part only when the last one has been taken. */
export function xlsxOf(
  heads: readonly string[],
  parts: AsyncIterable<readonly (readonly Cell[])[]>,
): Readable {
  const zip = new ZipFile()
  for (const [name, text] of Object.entries(fixedParts)) zip.addBuffer(Buffer.from(DECLARATION + text), name)
  const sheet = Readable.from(sheetOf(heads, parts), { objectMode: true, highWaterMark: 1 })
  zip.addReadStream(sheet, 'xl/worksheets/sheet1.xml')
  zip.end()
  const file = zip.outputStream as Readable
  zip.on('error', (error) => file.destroy(error as Error))
  sheet.on('error', (error) => file.destroy(error))
  // A client that goes away ends the reading.
  file.on('close', () => sheet.destroy())
  return file
}
