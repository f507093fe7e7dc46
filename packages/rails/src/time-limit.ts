/**
 * Runs `work` with a signal that aborts after `limitMs`.
 *
 * `AbortSignal.timeout` would keep the signal, and all that the call hung on it, until a full collection
 * (docs/decisions/0038).
 *
 * @param limitMs in ms
 */
export async function withTimeLimit<T>(
  limitMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), limitMs)
  try {
    return await work(controller.signal)
  } finally {
    clearTimeout(timer)
  }
}
