import { isUnreadable } from '../base/refused-statements.ts'
import { unlessRefused } from './run-batch.ts'

/** Records that a row cannot be read. A record that PostgreSQL refuses is left out. */
export type SetAside<Item> = (item: Item, error: unknown) => Promise<void>

/** As many rows, of which none can be read, tell of the storage: a failure must not be counted against each. */
const OF_STORAGE_MIN = 4

interface Unreadable<Item> {
  readonly item: Item
  readonly error: unknown
}

/**
 * Reads the rows of some items in one statement. If PostgreSQL cannot read one of them, reads again in halves, down to
 * that row, so that it delays no other.
 *
 * @returns what the statements read, without the items that were set aside
 * @throws the error of the first row if there are OF_STORAGE_MIN or more and none can be read
 */
export async function readInHalves<Item, Read>(
  items: readonly Item[],
  read: (items: readonly Item[]) => Promise<Read>,
  setAside: SetAside<Item>,
): Promise<Read[]> {
  const { parts, unreadable } = await halve(items, read)
  const [first] = unreadable
  if (first !== undefined && unreadable.length === items.length && items.length >= OF_STORAGE_MIN)
    throw first.error
  for (const { item, error } of unreadable) await unlessRefused(() => setAside(item, error))
  return parts
}

async function halve<Item, Read>(
  items: readonly Item[],
  read: (items: readonly Item[]) => Promise<Read>,
): Promise<{ parts: Read[]; unreadable: Unreadable<Item>[] }> {
  const [item] = items
  if (item === undefined) return { parts: [], unreadable: [] }
  try {
    return { parts: [await read(items)], unreadable: [] }
  } catch (error) {
    if (!isUnreadable(error)) throw error
    if (items.length === 1) return { parts: [], unreadable: [{ item, error }] }
    const middle = Math.ceil(items.length / 2)
    const older = await halve(items.slice(0, middle), read)
    const newer = await halve(items.slice(middle), read)
    return {
      parts: [...older.parts, ...newer.parts],
      unreadable: [...older.unreadable, ...newer.unreadable],
    }
  }
}
