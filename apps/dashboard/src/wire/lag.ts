/** Header of an answer that a standby gave: how old it is, in seconds. */
const LAG_HEADER = 'staff-read-lag'

let lagSec = 0
const listeners = new Set<() => void>()

/** Notes the age of an answer. One without the header is the primary's, which is of now. */
export function noteLag({ headers }: Response): void {
  const sec = Number(headers.get(LAG_HEADER) ?? 0)
  if (sec === lagSec || !Number.isFinite(sec)) return
  lagSec = sec
  for (const listener of listeners) listener()
}

/** The age in seconds of what the page shows, for `useSyncExternalStore`. */
export const readLagSec = (): number => lagSec

export function onLag(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
