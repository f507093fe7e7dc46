export type BoundedMap<K, V> = {
  readonly get: (key: K) => V | undefined
  readonly set: (key: K, value: V) => void
  readonly newest: (limit: number, keep?: (value: V) => boolean) => V[]
  readonly dropped: () => number
  readonly clear: () => void
}

export function createBoundedMap<K, V>(limit: number): BoundedMap<K, V> {
  const entries = new Map<K, V>()
  // One lasting iterator finds the oldest key. A new iterator would walk over every key deleted before it.
  let oldest = entries.keys()
  let dropped = 0
  return {
    get: (key) => entries.get(key),
    set: (key, value) => {
      entries.set(key, value)
      if (entries.size <= limit) return
      const first = oldest.next()
      if (first.done) return
      entries.delete(first.value)
      dropped += 1
    },
    newest: (count, keep = () => true) => [...entries.values()].filter(keep).slice(-count),
    dropped: () => dropped,
    clear: () => {
      entries.clear()
      oldest = entries.keys()
      dropped = 0
    },
  }
}

export type BoundedLog<T> = {
  readonly append: (entry: T) => void
  readonly newest: (limit: number, keep?: (entry: T) => boolean) => T[]
  readonly count: () => number
  readonly dropped: () => number
  readonly clear: () => void
}

/** An append-only list of at most `limit` entries. `count` includes the dropped ones. */
export function createBoundedLog<T>(limit: number): BoundedLog<T> {
  const entries = createBoundedMap<number, T>(limit)
  let count = 0
  return {
    append: (entry) => {
      count += 1
      entries.set(count, entry)
    },
    newest: entries.newest,
    count: () => count,
    dropped: entries.dropped,
    clear: () => {
      entries.clear()
      count = 0
    },
  }
}
