import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { writeDurably } from './folder.ts'
import { ArchiveError, type ArchivedTable, type Part, sha256, type TableManifest } from './manifest.ts'

const compress = promisify(gzip)
const decompress = promisify(gunzip)

/** The text of a part, plus one row at most. A part is written and read whole, so this bounds the memory of both. */
export const PART_BYTES = 32 * 1024 * 1024

export interface ArchiveRow {
  readonly merchant: string
  /** One JSON object, without a line break. */
  readonly line: string
}

/** Writes the rows of a table to parts. */
export async function writeParts(
  folder: string,
  table: ArchivedTable,
  rows: AsyncIterable<ArchiveRow>,
  partBytes: number,
): Promise<Pick<TableManifest, 'rows' | 'sha256' | 'parts'>> {
  const whole = createHash('sha256')
  const parts: Part[] = []
  let lines: Buffer[] = []
  let bytes = 0
  let first = ''
  let last = ''
  const flush = async () => {
    if (lines.length === 0) return
    const text = Buffer.concat(lines, bytes)
    whole.update(text)
    const file = `${table}-${String(parts.length + 1).padStart(5, '0')}.ndjson.gz`
    const content = await compress(text)
    await writeDurably(folder, file, content)
    parts.push({
      file,
      rows: lines.length,
      bytes: content.byteLength,
      sha256: sha256(content),
      text_bytes: bytes,
      first_merchant: first,
      last_merchant: last,
    })
    lines = []
    bytes = 0
  }
  for await (const { merchant, line } of rows) {
    const text = Buffer.from(`${line}\n`)
    if (lines.length === 0) first = merchant
    last = merchant
    lines.push(text)
    bytes += text.byteLength
    if (bytes >= partBytes) await flush()
  }
  await flush()
  return { rows: parts.reduce((sum, part) => sum + part.rows, 0), sha256: whole.digest('hex'), parts }
}

/**
 * Reads a part whole.
 *
 * @throws {ArchiveError} if the file is not exactly the one that was written
 */
export async function readPart(folder: string, part: Part): Promise<Buffer> {
  const path = join(folder, part.file)
  const fail = (error: unknown) => {
    throw new ArchiveError(`${path} cannot be read`, { cause: error })
  }
  const content = await readFile(path).catch(fail)
  if (content.byteLength !== part.bytes)
    throw new ArchiveError(`${path} has ${content.byteLength} bytes, not ${part.bytes}`)
  if (sha256(content) !== part.sha256) throw new ArchiveError(`${path} has another hash than its manifest`)
  const text = await decompress(content, { maxOutputLength: part.text_bytes }).catch(fail)
  if (text.byteLength !== part.text_bytes || countLines(text) !== part.rows)
    throw new ArchiveError(`${path} has other rows than its manifest`)
  return text
}

function countLines(text: Buffer): number {
  let lines = 0
  for (let at = text.indexOf(10); at !== -1; at = text.indexOf(10, at + 1)) lines += 1
  return lines
}
