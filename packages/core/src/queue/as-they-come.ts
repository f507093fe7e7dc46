/**
 * Time for which the results of a batch wait for each other, so that most share a statement. A result that takes longer
 * then delays no other.
 */
const WAIT_MS = 250

/**
 * Handles the results of all promises in groups, one group after the other, as they come. A failure delays no other
 * result: the later groups are handled first.
 *
 * @returns what the handler returned for each group
 * @throws the first error of a promise or the handler, once all others are handled
 */
export async function asTheyCome<T, Result>(
  promises: readonly Promise<T>[],
  handle: (group: readonly T[]) => Promise<Result>,
  waitMs = WAIT_MS,
): Promise<Result[]> {
  let ready: PromiseSettledResult<T>[] = []
  const all = Promise.all(
    promises.map((promise) => Promise.allSettled([promise]).then((settled) => ready.push(...settled))),
  )
  const results: Result[] = []
  const errors: unknown[] = []
  for (let left = promises.length; left > 0; ) {
    await Promise.race([all, new Promise((resolve) => setTimeout(resolve, waitMs).unref())])
    const settled = ready
    ready = []
    left -= settled.length
    const group: T[] = []
    for (const one of settled) {
      if (one.status === 'fulfilled') group.push(one.value)
      else errors.push(one.reason)
    }
    if (group.length === 0) continue
    try {
      results.push(await handle(group))
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
  return results
}
