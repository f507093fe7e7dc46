/** Sources of time and randomness, which a client's options can replace. */
export const systemClock = (): number => Date.now()

export const systemRandom = (): number => Math.random()

/** Resolves early if the signal aborts, so an aborted call does not wait for its back-off. */
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
