import { type Clock, systemClock } from './clock.ts'
import { type FaultHook, type FaultPoint, faultPoints } from './fault-points.ts'

interface FaultInjection {
  readonly fault: FaultHook
  readonly systemClock: Clock
  readonly ahead: (clock: Clock) => Clock
}

/**
 * Reads the environment, except in livemode.
 * - `FAULT_POINT` names the point at which the process dies as by kill -9; `FAULT_HITS` says on which passing
 *   (default 1).
 * - `CLOCK_OFFSET_MS` sets the process's time ahead of the database's, so that a test need not wait for a ladder.
 * - `SYSTEM_CLOCK_OFFSET_MS` makes the machine's clock wrong, which must not matter.
 *
 * @throws Error if `FAULT_POINT` is not a fault point
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
  if (!isFaultPoint(name)) throw new Error(`${name} is not a fault point`)
  let left = hits
  return (point) => {
    if (point !== name) return
    left -= 1
    if (left <= 0) process.kill(process.pid, 'SIGKILL')
  }
}

const isFaultPoint = (name: string): name is FaultPoint => (faultPoints as readonly string[]).includes(name)
