import { folderOf, readManifest } from './folder.ts'
import type { ArchivedTable } from './manifest.ts'
import { readPart } from './parts.ts'

export interface Wanted {
  readonly table: ArchivedTable | null
  readonly merchant: string | null
  /** The id of an event or a delivery, as the API or a column shows it. */
  readonly id: string | null
}

/** The columns in which an id is looked for. */
const ID_COLUMNS = ['id', 'event_id', 'delivery_id'] as const

/**
 * The lines of a month. A part's lines come once its hash was compared.
 *
 * @throws {ArchiveError} for a file that differs from the manifest
 */
export async function* readLines(archive: string, month: string, wanted: Wanted): AsyncGenerator<string> {
  const { merchant } = wanted
  const { manifest } = await readManifest(archive, month)
  const isWanted = filterOf(wanted)
  for (const { name, parts } of manifest.tables) {
    if (wanted.table !== null && wanted.table !== name) continue
    for (const part of parts) {
      // PostgreSQL orders merchants by bytes, as JavaScript does: a client_id is ASCII.
      if (merchant !== null && (merchant < part.first_merchant || merchant > part.last_merchant)) continue
      const text = await readPart(folderOf(archive, month), part)
      yield* linesOf(text, isWanted)
    }
  }
}

function* linesOf(text: Buffer, isWanted: (line: string) => boolean): Generator<string> {
  let from = 0
  for (let to = text.indexOf(10); to !== -1; to = text.indexOf(10, from)) {
    const line = text.toString('utf8', from, to)
    if (isWanted(line)) yield line
    from = to + 1
  }
}

function filterOf({ merchant, id }: Wanted): (line: string) => boolean {
  if (merchant === null && id === null) return () => true
  const uuid = id === null ? null : uuidOf(id)
  return (line) => {
    if (uuid !== null && !line.includes(uuid)) return false
    const row = JSON.parse(line) as Record<string, unknown>
    if (merchant !== null && row['merchant_id'] !== merchant) return false
    return uuid === null || ID_COLUMNS.some((column) => row[column] === uuid)
  }
}

/** @returns null if the text is no id */
export const uuidOf = (id: string): string | null => {
  const [, a, b, c, d, e] =
    /^(?:[a-z]+_)?([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/.exec(id) ?? []
  return a === undefined ? null : [a, b, c, d, e].join('-')
}
