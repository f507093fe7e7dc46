/** Fetches a script, and tells the page once it is there, whoever has asked for it. */
export interface LaterLoader<T> {
  readonly load: () => Promise<T>
  /** Fetches it, and retries for about a minute if the network fails. Each call begins that minute anew. */
  readonly keepTrying: () => void
  readonly found: () => T | null
  readonly subscribe: (listener: () => void) => () => void
}

const RETRY_MS = 3_000
const TRIES_MAX = 20

export function createLaterLoader<T>(fetch: () => Promise<T>, isOnline: () => boolean): LaterLoader<T> {
  const listeners = new Set<() => void>()
  let found: T | null = null
  let loading: Promise<T> | null = null
  let triesLeft = 0
  let isTrying = false

  const load = (): Promise<T> =>
    (loading ??= fetch().then(
      (script) => {
        found = script
        for (const listener of listeners) listener()
        return script
      },
      (error: unknown) => {
        loading = null
        throw error
      },
    ))

  function tryOn(): void {
    isTrying = found === null && triesLeft > 0
    if (!isTrying) return
    void load().catch(() => {
      if (isOnline()) triesLeft -= 1
      setTimeout(tryOn, RETRY_MS)
    })
  }

  return {
    load,
    keepTrying: () => {
      triesLeft = TRIES_MAX
      if (!isTrying) tryOn()
    },
    found: () => found,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
