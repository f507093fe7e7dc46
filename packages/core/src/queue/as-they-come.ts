/**
 * Time for which the results of a batch wait for each other, so that most share a statement. A result that takes longer
 * then delays no other.
 */
const WAIT_MS = 250

/**
 * Handles the results of all promises in groups, one group after the other, as they come.
 *
 * @returns what the handler returned for each group
 * @throws what a promise or the handler throws
 */
export async function asTheyCome<T, Result>(
  promises: readonly Promise<T>[],
  handle: (group: readonly T[]) => Promise<Result>,
  waitMs = WAIT_MS,
): Promise<Result[]> {
  let ready: T[] = []
  const all = Promise.all(promises.map((promise) => promise.then((result) => ready.push(result))))
  const results: Result[] = []
  for (let left = promises.length; left > 0; ) {
    await Promise.race([all, new Promise((resolve) => setTimeout(resolve, waitMs).unref())])
    const group = ready
    ready = []
    if (group.length === 0) continue
    left -= group.length
    results.push(await handle(group))
  }
  return results
}
