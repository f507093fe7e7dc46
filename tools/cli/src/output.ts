import type { Command } from 'commander'
import { exitCodes, Failure } from './failure.ts'

export interface Output {
  /** Writes the value as a line of JSON, or the lines for people. */
  print(value: object, lines: readonly string[] | string): Promise<void>
  /** For people alone. */
  note(line: string): void
  /** For programs alone, as a line of JSON. */
  record(value: object): Promise<void>
}

export function outputOf(command: Command): Output {
  const { json = false } = command.optsWithGlobals<{ json?: boolean }>()
  return {
    print: (value, lines) => writeLine(json ? JSON.stringify(value) : [lines].flat().join('\n')),
    note: (line) => {
      if (!json) console.error(line)
    },
    record: async (value) => {
      if (json) await writeLine(JSON.stringify(value))
    },
  }
}

/**
 * Writes to stdout. `console.log` would hide a full disk, and with it the only copy of a secret. A reader that has left
 * wants no more, as `head` does.
 *
 * @throws {Failure} if the line is lost
 */
export const writeLine = (line: string): Promise<void> =>
  new Promise((resolve, reject) => {
    // The callback has the error too; without a listener it would end the process.
    if (process.stdout.listenerCount('error') === 0) process.stdout.on('error', () => undefined)
    process.stdout.write(`${line}\n`, (error?: NodeJS.ErrnoException | null) => {
      if (!error || error.code === 'EPIPE') return resolve()
      const reason = error.code ?? error.message
      reject(new Failure(`the output cannot be written (${reason})`, exitCodes.io))
    })
  })
