import type { Clock } from './clock.ts'
import type { Step } from './options.ts'

const NAME_WIDTH = 12

export const reportSteps =
  (tell: (line: string) => void, clock: Clock): Step =>
  async (name, work) => {
    const startedMs = clock()
    const result = await work()
    tell(`${name.padEnd(NAME_WIDTH)} ${secondsOf(clock() - startedMs)}`)
    return result
  }

export const secondsOf = (ms: number): string => `${(ms / 1000).toFixed(2)} s`
