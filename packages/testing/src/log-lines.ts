import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

export type LogLine = Readonly<Record<string, unknown>>

export interface LogLines {
  readonly lines: readonly LogLine[]
  /** Resolves with the first line that has this message. Rejects if the log ends without one. */
  readonly said: (message: string) => Promise<LogLine>
}

/**
 * Reads the log of a server while it runs. The member `plain` has a line that is not JSON.
 *
 * @param complaints what the server wrote to stderr, which says why it could not start
 */
export function readLogLines(output: Readable, complaints: Promise<string>): LogLines {
  const lines: LogLine[] = []
  const waiting = new Set<() => void>()
  let hasEnded = false
  const look = () => {
    for (const next of waiting) next()
  }
  createInterface(output)
    .on('line', (line) => {
      lines.push(line.startsWith('{') ? (JSON.parse(line) as LogLine) : { plain: line })
      look()
    })
    .on('close', () => {
      hasEnded = true
      look()
    })
  const untilSaid = (message: string) =>
    new Promise<LogLine | null>((resolve) => {
      const next = () => {
        const found = lines.find(({ msg }) => msg === message) ?? null
        if (found === null && !hasEnded) return
        waiting.delete(next)
        resolve(found)
      }
      waiting.add(next)
      next()
    })
  return {
    lines,
    said: async (message) => {
      const found = await untilSaid(message)
      if (found !== null) return found
      const log = lines.slice(-LINES_SHOWN).map((line) => JSON.stringify(line))
      throw new Error([`the log ended without "${message}"`, ...log, await complaints].join('\n'))
    },
  }
}

const LINES_SHOWN = 5
