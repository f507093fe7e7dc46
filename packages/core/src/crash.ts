import { type Fault, type FaultPoint, faultPoints } from './fault-points.ts'

const isFaultPoint = (name: string): name is FaultPoint => (faultPoints as readonly string[]).includes(name)

/**
 * Arms one fault point: on its `hits`-th passing the process dies as by kill -9, with nothing flushed or released. For
 * crash tests; main refuses it in livemode.
 *
 * @throws for a name that is no fault point
 */
export function armFault(name: string | undefined, hits: number): Fault {
  if (name === undefined) return () => undefined
  if (!isFaultPoint(name)) throw new Error(`${name} is no fault point`)
  let left = hits
  return (point) => {
    if (point !== name) return
    left -= 1
    if (left <= 0) process.kill(process.pid, 'SIGKILL')
  }
}
