import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import type pg from 'pg'
import { readShapes, type Shapes } from '../move/rows.ts'
import { beginArchive, hasArchives, markVerified, readIdentity } from './database.ts'
import { claimArchive, makeUnfinished, publish, removeUnfinished, writeManifest } from './folder.ts'
import {
  type ArchivedTable,
  archivedTables,
  type Manifest,
  renderManifest,
  type TableManifest,
} from './manifest.ts'
import { writeParts } from './parts.ts'
import { readRows, redactedColumns } from './rows.ts'
import { verifyMonth } from './verify.ts'

export interface Archiving {
  readonly client: pg.Client
  readonly archive: string
  readonly partBytes: number
}

/** Claims the folder, and removes what a run that died has left. */
export async function openArchive({ client, archive }: Archiving): Promise<void> {
  const { database } = await readIdentity(client)
  await claimArchive(archive, database, !(await hasArchives(client)))
  await removeUnfinished(archive)
}

/**
 * Writes a month, gives it its name, reads it back from the disk, and then marks it in the database. Until
 * the mark the worker keeps the month. A run that dies leaves a folder without a month's name, or one without a mark;
 * the next run removes or replaces it.
 *
 * @throws {ArchiveRefused} if the month changed meanwhile
 */
export async function writeMonth(archiving: Archiving, month: string): Promise<Manifest> {
  const { client, archive } = archiving
  const run = randomUUID()
  await beginArchive(client, month, run)
  const folder = await makeUnfinished(archive, month)
  try {
    const manifest = await inTransaction(client, () => writeTables(archiving, folder, month))
    await writeManifest(folder, renderManifest(manifest))
    await publish(archive, month, folder)
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
  const { manifest, sha256 } = await verifyMonth(archive, month)
  await markVerified(client, month, run, sha256)
  return manifest
}

/**
 * Keeps the columns of what was read as they are. Each page has a snapshot of its own, because one for the whole month
 * would keep all rows that die meanwhile: what changes a row that a page can show also takes the run's right to mark the month.
 */
async function inTransaction<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query('begin isolation level read committed read only')
  try {
    return await work()
  } finally {
    // It has written nothing. The first error counts, also if the connection is gone.
    await client.query('rollback').catch(() => undefined)
  }
}

async function writeTables(archiving: Archiving, folder: string, month: string): Promise<Manifest> {
  const { client } = archiving
  const shapes = await readShapes({ client }, archivedTables)
  const { database, version } = await readIdentity(client)
  const tables: TableManifest[] = []
  for (const table of archivedTables) {
    tables.push(await writeTable(archiving, shapes, folder, { table, month }))
  }
  return {
    format: 1,
    month,
    database,
    schema_version: version,
    written_at: new Date().toISOString(),
    tables,
  }
}

async function writeTable(
  { client, partBytes }: Archiving,
  shapes: Shapes,
  folder: string,
  { table, month }: { table: ArchivedTable; month: string },
): Promise<TableManifest> {
  const shape = shapes.get(table)
  if (shape === undefined) throw new Error(`the database has no table ${table}`)
  const rows = readRows(client, table, month, shape.key)
  const { rows: count, sha256, parts } = await writeParts(folder, table, rows, partBytes)
  const columns = shape.columns.map(({ name, type }) => ({ name, type }))
  return { name: table, columns, redacted: [...redactedColumns[table]], rows: count, sha256, parts }
}
