import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ArchiveError, type Manifest, parseManifest, sha256 } from './manifest.ts'

const MANIFEST = 'manifest.json'
const DATABASE = 'database.json'
const MONTH_LENGTH = 6
/** A month, or with a number an earlier archive of a month that came back after its drop. */
const ARCHIVED = /^\d{6}(?:-\d+)?$/
/** A folder that is being written. A run that died leaves it. */
const UNFINISHED = /^\.\d{6}\.[0-9a-f-]{36}$/
/** An archive that a newer one replaces. A run that dies then leaves it, and perhaps no newer one. */
const REPLACED = /^\.(\d{6})\.[0-9a-f-]{36}\.replaced$/

export const folderOf = (archive: string, month: string): string => join(archive, month)

export async function listMonths(archive: string): Promise<string[]> {
  return (await readdir(archive)).filter((name) => ARCHIVED.test(name)).toSorted()
}

/** All archives of a month. More than one if it came back after its drop. */
export async function archivesOf(archive: string, month: string): Promise<string[]> {
  const found = (await listMonths(archive)).filter((name) => name === month || name.startsWith(`${month}-`))
  return found.length > 0 ? found : [month]
}

/**
 * Gives the archive of a month that came back another name, because its rows are in no database any more.
 *
 * @returns null if the month has none
 */
export async function keepEarlier(archive: string, month: string): Promise<string | null> {
  const names = await archivesOf(archive, month)
  const numbers = names.map((name) => Number(name.slice(MONTH_LENGTH + 1)))
  const kept = `${month}-${Math.max(...numbers) + 1}`
  const isThere = await rename(folderOf(archive, month), folderOf(archive, kept)).then(() => true, missing)
  await syncFolder(archive)
  return isThere ? kept : null
}

/** Events hold what payers said and did. */
const FOLDER_MODE = 0o750
const FILE_MODE = 0o640

/**
 * Makes the folder the archive of this database, because the lock of a run is one database's.
 *
 * @param isFirst the database has no archive yet. Otherwise a folder without its file may be the mount point of a disk
 *   that is away, which would hide a new archive
 * @throws {ArchiveError} if it is another one's, or if the file is missing although the database has archives
 */
export async function claimArchive(
  archive: string,
  database: Manifest['database'],
  isFirst: boolean,
): Promise<void> {
  const text = `${JSON.stringify(database)}\n`
  const found = await readIfThere(join(archive, DATABASE))
  if (found === null) {
    if (!isFirst)
      throw new ArchiveError(
        `${archive} has no ${DATABASE}, but months of this database were archived before: mount its disk. To begin a new folder, put an empty file ${DATABASE} into it`,
      )
    await mkdir(archive, { recursive: true, mode: FOLDER_MODE })
    await writeDurably(archive, DATABASE, text)
    await syncFolder(archive)
  } else if (!found.endsWith('\n')) {
    await finishClaim(archive, text)
  } else if (found !== text) {
    throw new ArchiveError(
      `${archive} is the archive of another database: ${found.trim()}. Name another folder`,
    )
  }
}

/** A file without its end is of a run that died while it claimed the folder, or of an operator who begins a new one. */
async function finishClaim(archive: string, text: string): Promise<void> {
  const draft = `.${DATABASE}`
  await rm(join(archive, draft), { force: true })
  await writeDurably(archive, draft, text)
  await rename(join(archive, draft), join(archive, DATABASE))
  await syncFolder(archive)
}

/** The caller is the only run of this archive. */
export async function removeUnfinished(archive: string): Promise<void> {
  const names = await readdir(archive)
  const months = new Set(names)
  for (const name of names) {
    const [, month] = REPLACED.exec(name) ?? []
    if (month !== undefined && !months.has(month)) {
      await rename(join(archive, name), folderOf(archive, month))
      months.add(month)
    } else if (month !== undefined || UNFINISHED.test(name)) {
      await rm(join(archive, name), { recursive: true })
    }
  }
}

export async function makeUnfinished(archive: string, month: string): Promise<string> {
  const folder = join(archive, `.${month}.${randomUUID()}`)
  await mkdir(folder, { mode: FOLDER_MODE })
  return folder
}

export async function writeDurably(folder: string, name: string, content: string | Buffer): Promise<void> {
  const file = await open(join(folder, name), 'wx', FILE_MODE)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** The manifest is the last file, so a folder with one is complete. */
export const writeManifest = (folder: string, text: string): Promise<void> =>
  writeDurably(folder, MANIFEST, text)

/**
 * Gives the folder its name. An archive of the month that is there already is replaced, and stays if that fails: a run that
 * has lost its lock without notice finds its folder removed, and the archive can be that of a later run.
 */
export async function publish(archive: string, month: string, unfinished: string): Promise<void> {
  await syncFolder(unfinished)
  const folder = folderOf(archive, month)
  const replaced = await setAside(archive, month)
  try {
    await rename(unfinished, folder)
  } catch (error) {
    if (replaced !== null) await rename(replaced, folder)
    throw error
  }
  await syncFolder(archive)
  if (replaced !== null) await rm(replaced, { recursive: true })
}

/** @returns null if the month has no archive */
export async function setAside(archive: string, month: string): Promise<string | null> {
  const replaced = join(archive, `.${month}.${randomUUID()}.replaced`)
  return (await rename(folderOf(archive, month), replaced).then(() => true, missing)) ? replaced : null
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

export interface StoredManifest {
  readonly manifest: Manifest
  readonly sha256: string
}

/** @throws {ArchiveError} if the month has no archive, or one whose manifest is damaged */
export async function readManifest(archive: string, month: string): Promise<StoredManifest> {
  const path = join(folderOf(archive, month), MANIFEST)
  const text = await readIfThere(path)
  if (text === null) throw new ArchiveError(`${path} is missing`)
  const manifest = parseManifest(path, text)
  if (manifest.month !== month.slice(0, MONTH_LENGTH))
    throw new ArchiveError(`${path} is of the month ${manifest.month}`)
  return { manifest, sha256: sha256(text) }
}

const readIfThere = (path: string): Promise<string | null> =>
  readFile(path, 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return null
    throw error
  })

function missing(error: unknown): false {
  if (isMissing(error)) return false
  throw error
}

export const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT'
