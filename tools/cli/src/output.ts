import type { Command } from 'commander'

export interface Output {
  /** Writes the value as a line of JSON, or the lines for people. */
  print(value: object, lines: readonly string[] | string): void
  /** For people alone. */
  note(line: string): void
  /** For programs alone, as a line of JSON. */
  record(value: object): void
}

export function outputOf(command: Command): Output {
  const { json = false } = command.optsWithGlobals<{ json?: boolean }>()
  return {
    print: (value, lines) => {
      if (json) console.log(JSON.stringify(value))
      else console.log([lines].flat().join('\n'))
    },
    note: (line) => {
      if (!json) console.error(line)
    },
    record: (value) => {
      if (json) console.log(JSON.stringify(value))
    },
  }
}
