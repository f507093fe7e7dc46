import { type Clock, systemClock } from './clock.ts'
import { type FaultHook, type FaultPoint, faultPoints } from './fault-points.ts'

/** What a crash test may ask of a process, through its environment. */
export interface FaultInjection {
  readonly fault: FaultHook
  /** The process's own clock, which may be wrong. */
  readonly systemClock: Clock
  /** The clock that the process goes by, set ahead. */
  readonly ahead: (clock: Clock) => Clock
}

/**
 * The clock and the fault points of a process: the plain ones in livemode, whatever the environment says.
 *
 * - `FAULT_POINT` names an instant at which the process dies as by kill -9, with nothing flushed or released, and
 *   `FAULT_HITS` on which passing of it (the first).
 * - `CLOCK_OFFSET_MS` sets the time that it goes by ahead of the database's, so that a test need not wait for a ladder.
 * - `SYSTEM_CLOCK_OFFSET_MS` makes its own clock wrong, which must not matter.
 *
 * @throws for a name that is no fault point
 */
export function faultInjectionOf(
  livemode: boolean,
  env: Readonly<Record<string, string | undefined>>,
): FaultInjection {
  if (livemode) return { fault: () => undefined, systemClock, ahead: (clock) => clock }
  const offsetMs = Number(env['CLOCK_OFFSET_MS'] ?? 0)
  const systemOffsetMs = Number(env['SYSTEM_CLOCK_OFFSET_MS'] ?? 0)
  return {
    fault: armFault(env['FAULT_POINT'], Number(env['FAULT_HITS'] ?? 1)),
    systemClock: () => systemClock() + systemOffsetMs,
    ahead: (clock) => () => clock() + offsetMs,
  }
}

function armFault(name: string | undefined, hits: number): FaultHook {
  if (name === undefined) return () => undefined
  if (!isFaultPoint(name)) throw new Error(`${name} is no fault point`)
  let left = hits
  return (point) => {
    if (point !== name) return
    left -= 1
    if (left <= 0) process.kill(process.pid, 'SIGKILL')
  }
}

const isFaultPoint = (name: string): name is FaultPoint => (faultPoints as readonly string[]).includes(name)
