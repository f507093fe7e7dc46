import type pg from 'pg'
import { ArchiveRefused, findMark, markFaulty, openOwner, readMarkedMonths, readMonths } from './database.ts'
import { isMissing, keepEarlier, listMonths, readManifest } from './folder.ts'
import { ArchiveError, type Manifest } from './manifest.ts'
import { verifyMonth } from './verify.ts'
import { openArchive, writeMonth } from './write.ts'

/** A month that ended later may still change: RETENTION_DAYS_MIN of the configuration. */
const ENDED_DAYS_MIN = 31

interface Run {
  /** The owner of the tables. */
  readonly url: string
  readonly folder: string
  readonly partBytes: number
  readonly report: (line: string) => void
}

/**
 * Archives the months that ended long enough ago, or those named.
 *
 * @throws {ArchiveRefused} for a named month that cannot be archived
 */
export async function writeMonths(
  { url, folder, partBytes, report }: Run,
  which: { readonly retentionDays: number } | { readonly months: readonly string[] },
): Promise<void> {
  const client = await openOwner(url)
  try {
    const archiving = { client, archive: folder, partBytes }
    await openArchive(archiving)
    const days = 'months' in which ? ENDED_DAYS_MIN : Math.max(which.retentionDays, ENDED_DAYS_MIN)
    const known = await readMonths(client, days)
    const named = 'months' in which ? which.months : known.map(({ month }) => month)
    for (const name of named) {
      const found = known.find(({ month }) => month === name)
      if (found === undefined)
        throw new ArchiveRefused(`${name} has no partitions, or ended less than ${days} days ago`)
      if (found.archived && (await isAsMarked(client, folder, name))) report(`${name} is archived already`)
      else if (found.isEmpty) report(`${name} came back without rows: its archive stays`)
      else if (found.unfinished) report(`${name} is left: a fan-out or a delivery of it is not finished`)
      else {
        const kept = found.isBack ? await keepEarlier(folder, name) : null
        if (kept !== null) report(`${name} has rows again: its earlier archive is now ${kept}`)
        report(summaryOf(await writeMonth(archiving, name)))
      }
    }
  } finally {
    await client.end()
  }
}

/** Whether the folder still has the manifest that the database has marked. */
async function isAsMarked(client: pg.Client, folder: string, month: string): Promise<boolean> {
  try {
    return (await readManifest(folder, month)).sha256 === (await findMark(client, month))?.hash
  } catch (error) {
    if (error instanceof ArchiveError) return false
    throw error
  }
}

async function findMonths(client: pg.Client | null, folder: string): Promise<string[]> {
  if (client === null) return listMonths(folder)
  // A folder that is gone has lost each month that the database has marked.
  const stored = await listMonths(folder).catch((error: unknown) => {
    if (isMissing(error)) return []
    throw error
  })
  return [...new Set([...stored, ...(await readMarkedMonths(client))])].toSorted()
}

/**
 * Reads the files of these months, or of all, and compares them with their manifest. With a database also with its mark,
 * which a fault removes until the month is dropped. All are then also those that the database has marked and the folder has
 * lost.
 *
 * @returns how many months have a fault
 */
export async function verifyMonths(
  { url, folder, report }: Pick<Run, 'folder' | 'report'> & { readonly url: string | null },
  months: readonly string[],
): Promise<number> {
  const client = url === null ? null : await openOwner(url)
  let faults = 0
  try {
    for (const month of months.length > 0 ? months : await findMonths(client, folder)) {
      const mark = client === null ? null : await findMark(client, month)
      const hash = mark?.hash ?? null
      try {
        const { manifest, sha256 } = await verifyMonth(folder, month)
        if (hash !== null && hash !== sha256)
          throw new ArchiveError(`the manifest of ${month} is not the one that the database has marked`)
        const isUnmarked = client !== null && hash === null
        report(`OK: ${summaryOf(manifest)}${isUnmarked ? ', without a mark in the database' : ''}`)
      } catch (error) {
        if (!(error instanceof ArchiveError)) throw error
        const isDropped = mark !== null && mark.isDropped
        report(`FAULT: ${error.message}${isDropped ? `, and the database has dropped ${month}` : ''}`)
        faults += 1
        if (client !== null) await markFaulty(client, month)
      }
    }
    return faults
  } finally {
    await client?.end()
  }
}

export function summaryOf({ month, tables, written_at: writtenAt }: Manifest): string {
  const rows = tables.map(({ name, rows: count }) => `${name} ${count}`).join(', ')
  const bytes = tables.flatMap(({ parts }) => parts).reduce((sum, part) => sum + part.bytes, 0)
  return `${month}: ${rows}; ${bytes} bytes, written at ${writtenAt}`
}
