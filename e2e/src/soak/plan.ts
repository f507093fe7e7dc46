export type Disturbance = 'rolling restart' | 'upgrade' | 'kill' | 'rotation' | 'failover'

export interface Planned {
  readonly atMs: number
  readonly what: Disturbance
}

const MINUTE_MS = 60_000
const RESTART_AT_MS = 5_000
const KILL_AT_MS = 40_000

/**
 * Each minute has a rolling restart and a kill. The restart of the middle minute brings a new signing key. The upgrade
 * from the previous release comes at a quarter of the run, and the failover of the database at three quarters.
 */
export function planOf(minutes: number): Planned[] {
  const middle = Math.floor(minutes / 2)
  const planned = Array.from({ length: minutes }, (_, minute): Planned[] => [
    { atMs: minute * MINUTE_MS + RESTART_AT_MS, what: minute === middle ? 'rotation' : 'rolling restart' },
    { atMs: minute * MINUTE_MS + KILL_AT_MS, what: 'kill' },
  ]).flat()
  planned.push({ atMs: minutes * MINUTE_MS * 0.25, what: 'upgrade' })
  planned.push({ atMs: minutes * MINUTE_MS * 0.75, what: 'failover' })
  return planned.toSorted((one, other) => one.atMs - other.atMs)
}
