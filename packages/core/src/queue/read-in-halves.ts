import { isUnreadable } from '../base/refused-statements.ts'
import { unlessRefused } from './run-batch.ts'

/** Records that a row cannot be read. A record that PostgreSQL refuses is left out. */
export type SetAside<Item> = (item: Item, error: unknown) => Promise<void>

/**
 * Reads the rows of some items in one statement. If PostgreSQL cannot read one of them, reads again in halves, down to
 * that row, so that it delays no other.
 *
 * @returns what the statements read, without the items that were set aside
 */
export async function readInHalves<Item, Read>(
  items: readonly Item[],
  read: (items: readonly Item[]) => Promise<Read>,
  setAside: SetAside<Item>,
): Promise<Read[]> {
  if (items.length === 0) return []
  try {
    return [await read(items)]
  } catch (error) {
    if (!isUnreadable(error)) throw error
    const [first] = items
    if (first !== undefined && items.length === 1) {
      await unlessRefused(() => setAside(first, error))
      return []
    }
    const middle = Math.ceil(items.length / 2)
    const older = await readInHalves(items.slice(0, middle), read, setAside)
    return [...older, ...(await readInHalves(items.slice(middle), read, setAside))]
  }
}
