/** Where time and chance enter; the options of a client replace each of them. */
export const systemClock = (): number => Date.now()

export const systemRandom = (): number => Math.random()

/** Resolves early when the signal aborts, so that nobody waits out a back-off that no longer matters. */
export const systemSleep = (delayMs: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, signal?.aborted === true ? 0 : delayMs)
    signal?.addEventListener('abort', done, { once: true })
  })
