import { sqlState } from '@merchant-payments/db'

export interface GatherOptions<Item, Result> {
  /** Writes all items in one statement, hence all or none; gives their results in their order. */
  readonly write: (items: readonly Item[]) => Promise<readonly Result[]>
  /** What no two items of one statement may share. */
  readonly identityOf: (item: Item) => string
  readonly itemsMax: number
  /** After this long, a statement that waits for a lock holds back no others. */
  readonly patienceMs: number
}

interface Entry<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/** SQLSTATE classes of a statement that wrote nothing, because of what is in it or of what it waited for. */
const rolledBack = /^(?:2[1-3]...|40...|55P03|57014)$/

/**
 * Makes one statement of the items of many requests: those of one turn of the event loop, and those that arrive while
 * the statement before is under way. An item alone leaves at once, so that nothing waits where nothing is gained.
 *
 * A statement that PostgreSQL refuses wrote none of its items: each is then tried alone, so that one which cannot be
 * written fails by itself. What waits is bounded by the requests that the server has under way.
 */
export function gather<Item, Result>({
  write,
  identityOf,
  itemsMax,
  patienceMs,
}: GatherOptions<Item, Result>): (item: Item) => Promise<Result> {
  let waiting: Entry<Item, Result>[] = []
  let busy = false

  function leave(): void {
    if (busy || waiting.length === 0) return
    const batch = take()
    busy = true
    const patience = setTimeout(free, patienceMs)
    void writeEach(batch).finally(() => {
      clearTimeout(patience)
      free()
    })

    let freed = false
    function free() {
      if (freed) return
      freed = true
      busy = false
      leave()
    }
  }

  function take(): Entry<Item, Result>[] {
    const batch = new Map<string, Entry<Item, Result>>()
    const left: Entry<Item, Result>[] = []
    for (const entry of waiting) {
      const identity = identityOf(entry.item)
      if (batch.size < itemsMax && !batch.has(identity)) batch.set(identity, entry)
      else left.push(entry)
    }
    waiting = left
    return [...batch.values()]
  }

  async function writeEach(batch: readonly Entry<Item, Result>[]): Promise<void> {
    try {
      const results = await write(batch.map(({ item }) => item))
      batch.forEach(({ resolve }, n) => resolve(results[n] as Result))
    } catch (error) {
      const lone = batch.length === 1 || !rolledBack.test(sqlState(error) ?? '')
      if (lone) return batch.forEach(({ reject }) => reject(error))
      await Promise.all(batch.map((entry) => writeEach([entry])))
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (waiting.length === 1) setImmediate(leave)
    })
}
