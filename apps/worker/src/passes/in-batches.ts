/**
 * Makes a function that writes one item together with all items that arrived during the last write. Quick
 * items share a write, and a slow one delays no other.
 *
 * @returns a promise of the item's own batch
 */
export function inBatches<T>(write: (items: readonly T[]) => Promise<void>): (item: T) => Promise<void> {
  let waiting: T[] = []
  let writing: Promise<unknown> = Promise.resolve()
  let next: Promise<void> | null = null

  function flush(): Promise<void> {
    const items = waiting
    waiting = []
    next = null
    return write(items)
  }

  return (item) => {
    waiting.push(item)
    if (next === null) {
      next = writing.then(flush)
      // The next batch runs anyway; the callers of this one receive its failure.
      writing = next.catch(() => {})
    }
    return next
  }
}
