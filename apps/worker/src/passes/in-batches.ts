/**
 * Makes a function that writes one item, together with all that came while the last write ran: quick ones go together,
 * and a slow one holds up nobody. @returns a promise of the item's own batch
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
      // The next batch is another try; whoever waits for this one hears of its failure.
      writing = next.catch(() => {})
    }
    return next
  }
}
