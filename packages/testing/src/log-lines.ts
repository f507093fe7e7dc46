import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

export type LogLine = Readonly<Record<string, unknown>>

export interface LogLines {
  readonly lines: readonly LogLine[]
  /** Resolves with the first line that has this message. */
  said(message: string): Promise<LogLine>
}

/** Reads the log of a server while it runs. The member `plain` has a line that is not JSON. */
export function readLogLines(output: Readable): LogLines {
  const lines: LogLine[] = []
  const waiting = new Set<() => void>()
  createInterface(output).on('line', (line) => {
    lines.push(line.startsWith('{') ? (JSON.parse(line) as LogLine) : { plain: line })
    for (const look of waiting) look()
  })
  return {
    lines,
    said: (message) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = lines.find(({ msg }) => msg === message)
          if (found === undefined) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
      }),
  }
}
