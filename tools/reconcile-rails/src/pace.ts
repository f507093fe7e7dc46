/**
 * Runs work on items in their order, at most `atOnce` at the same time, and begins at most `perSecond` in a second.
 *
 * @returns the results in the order of the items
 */
export async function paced<Item, Result>(
  items: readonly Item[],
  { atOnce, perSecond }: { readonly atOnce: number; readonly perSecond: number },
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const left = items.entries()
  const everyMs = 1_000 / perSecond
  let turn = Promise.resolve()
  const delay = (ms: number) =>
    new Promise<void>((resolve) => {
      setTimeout(resolve, ms)
    })
  const nextTurn = () => {
    const mine = turn
    turn = mine.then(() => delay(everyMs))
    return mine
  }
  const takeItems = async () => {
    // The iterator is shared, so each item is taken once.
    for (const [n, item] of left) {
      await nextTurn()
      results[n] = await work(item)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, takeItems))
  return results
}
