import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { readBatch } from './batches.ts'
import { readIndexChanges } from './indexes.ts'

/** Where the migrations of this code are. */
export const ownFolder = new URL('../../migrations/', import.meta.url)

/** Up to here migrations name no phase, take their locks without a time-out and are never changed. */
export const FROZEN_VERSION = 26

/**
 * expand: the previous release runs on its result, so it comes before the deployment. contract: removes what
 * only the previous release used, so it comes after.
 */
export type Phase = 'expand' | 'contract'

/**
 * transaction: the whole file at once. concurrently: indexes, each built or dropped outside of a transaction.
 * batches: one statement, again and again until it changes no row.
 */
type Mode = 'transaction' | 'concurrently' | 'batches'

export interface Migration {
  readonly version: number
  readonly name: string
  readonly sql: string
  readonly checksum: string
  readonly phase: Phase
  readonly mode: Mode
}

export async function readMigrations(folder: URL = ownFolder): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_\w+\.sql$/.test(name)).toSorted()
  return Promise.all(
    names.map(async (name) => parseMigration(name, await readFile(new URL(name, folder), 'utf8'))),
  )
}

/** @throws if a migration that is not frozen does not say how it is applied, or has another form than it says */
export function parseMigration(name: string, sql: string): Migration {
  const version = Number(name.slice(0, 4))
  const checksum = createHash('sha256').update(sql).digest('hex')
  const file = { version, name, sql, checksum }
  if (version <= FROZEN_VERSION) return { ...file, phase: 'expand', mode: 'transaction' }
  const phase = /^-- phase: (expand|contract)$/m.exec(sql)?.[1] as Phase | undefined
  if (phase === undefined) throw new Error(`${name} needs a line "-- phase: expand" or "-- phase: contract"`)
  const mode = (/^-- mode: (.*)$/m.exec(sql)?.[1] ?? 'transaction') as Mode
  if (!['transaction', 'concurrently', 'batches'].includes(mode))
    throw new Error(`${name} has the mode "${mode}": use concurrently or batches, or leave the line out`)
  if (mode === 'concurrently') readIndexChanges(file)
  if (mode === 'batches') readBatch(file)
  return { ...file, phase, mode }
}
