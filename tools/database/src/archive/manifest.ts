import { createHash } from 'node:crypto'
import { z } from 'zod'

export const archivedTables = ['events', 'deliveries', 'delivery_attempts'] as const
export type ArchivedTable = (typeof archivedTables)[number]

/** A fault of an archive's files. Its message names the file. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError'
}

const hash = z.string().regex(/^[0-9a-f]{64}$/)
const count = z.int().min(0)

const part = z.strictObject({
  file: z.string().regex(/^[a-z_]+-\d{5}\.ndjson\.gz$/),
  rows: z.int().min(1),
  /** The length of the compressed file. */
  bytes: z.int().min(1),
  sha256: hash,
  /** The length of the uncompressed text. */
  text_bytes: z.int().min(1),
  /** Rows are in the order of the primary key, which begins with the merchant. */
  first_merchant: z.string(),
  last_merchant: z.string(),
})
export type Part = z.output<typeof part>

const table = z.strictObject({
  name: z.enum(archivedTables),
  columns: z.array(z.strictObject({ name: z.string(), type: z.string() })),
  /** The columns without their text, which is `[redacted]` or was redacted as an erasure does. */
  redacted: z.array(z.string()),
  rows: count,
  /** Covers the uncompressed text of all parts. */
  sha256: hash,
  parts: z.array(part),
})
export type TableManifest = z.output<typeof table>

const manifest = z.strictObject({
  format: z.literal(1),
  month: z.string().regex(/^\d{6}$/),
  database: z.strictObject({ name: z.string(), system_identifier: z.string() }),
  /** The last migration of the database that was archived. */
  schema_version: count,
  written_at: z.iso.datetime(),
  tables: z.array(table).length(archivedTables.length),
})
export type Manifest = z.output<typeof manifest>

export const renderManifest = (given: Manifest): string => `${JSON.stringify(given, null, 2)}\n`

/** @throws {ArchiveError} */
export function parseManifest(path: string, text: string): Manifest {
  try {
    return manifest.parse(JSON.parse(text))
  } catch (error) {
    throw new ArchiveError(`${path} is no manifest of an archive`, { cause: error })
  }
}

export const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex')
