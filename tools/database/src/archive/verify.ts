import { createHash } from 'node:crypto'
import { folderOf, readManifest, type StoredManifest } from './folder.ts'
import { ArchiveError } from './manifest.ts'
import { readPart } from './parts.ts'

/**
 * Reads every part of a month, and compares hashes and counts with the manifest.
 *
 * @throws {ArchiveError} for the first file that differs
 */
export async function verifyMonth(archive: string, month: string): Promise<StoredManifest> {
  const stored = await readManifest(archive, month)
  const folder = folderOf(archive, month)
  for (const { name, rows, sha256, parts } of stored.manifest.tables) {
    const whole = createHash('sha256')
    let counted = 0
    for (const part of parts) {
      whole.update(await readPart(folder, part))
      counted += part.rows
    }
    if (counted !== rows || whole.digest('hex') !== sha256)
      throw new ArchiveError(`${folder}: the parts of ${name} are not the whole table`)
  }
  return stored
}
