export interface Counts<Key> {
  readonly get: (key: Key) => number
  readonly total: () => number
  readonly keys: () => Iterable<Key>
  /** @returns the key's new count */
  readonly add: (key: Key, by: number) => number
}

/** Counters by key. Zero counters are deleted. */
export function counts<Key>(): Counts<Key> {
  const of = new Map<Key, number>()
  let total = 0
  return {
    get: (key) => of.get(key) ?? 0,
    total: () => total,
    keys: () => of.keys(),
    add: (key, by) => {
      total += by
      const count = (of.get(key) ?? 0) + by
      if (count === 0) of.delete(key)
      else of.set(key, count)
      return count
    },
  }
}
