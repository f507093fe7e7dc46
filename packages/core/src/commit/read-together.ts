import { isShared, type Reader } from '@merchant-payments/db'
import { batch, MAX_BLOCK_MS } from './batch.ts'

/** docs/spec-gaps.md, load: rows that one statement reads. With the most metadata in each, these are 0.9 MB. */
export const ROWS_MAX = 32

/** Two reads of one row may share a statement. */
const none: readonly string[] = []

interface SharedRead<Key, Row> {
  readonly together: (reader: Reader, keys: readonly Key[]) => Promise<readonly Row[]>
  readonly ownerOf: (key: Key) => string
}

/**
 * Lets reads that arrive together share a statement, and those that arrive while it runs: a statement costs
 * PostgreSQL and this process more than its row. Only for rows of at most about 27 kB, so that a large row does not
 * delay the other reads. Owners take turns, and a single read is sent at once. In a transaction each read has a
 * statement of its own.
 */
export function readTogether<Key, Row>({
  together,
  ownerOf,
}: SharedRead<Key, Row>): (reader: Reader, key: Key) => Promise<Row> {
  const shared = new WeakMap<Reader, (key: Key) => Promise<Row>>()
  return async (reader, key) => {
    if (!isShared(reader)) {
      const [row] = await together(reader, [key])
      return row as Row
    }
    let read = shared.get(reader)
    if (read === undefined) {
      read = batch<Key, Row>({
        write: (keys) => together(reader, keys),
        identitiesOf: () => none,
        ownerOf,
        itemsMax: ROWS_MAX,
        maxBlockMs: MAX_BLOCK_MS,
      })
      shared.set(reader, read)
    }
    return read(key)
  }
}
