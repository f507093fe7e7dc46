import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))

interface Instruction {
  readonly name: string
  readonly text: string
}

/** The instructions of the Containerfile, in their order, without comments and line breaks. */
export async function readContainerfile(): Promise<readonly Instruction[]> {
  const text = await readFile(`${root}Containerfile`, 'utf8')
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
  return lines.flatMap((line) => {
    const [, name, rest] = /^([A-Z]+) (.*)$/.exec(line) ?? []
    return name === undefined || rest === undefined ? [] : [{ name, text: rest }]
  })
}

/** Those of the last stage, which make the image. */
export const lastStageOf = (instructions: readonly Instruction[]): readonly Instruction[] =>
  instructions.slice(instructions.findLastIndex(({ name }) => name === 'FROM'))

export function valueOf(instructions: readonly Instruction[], name: string): string {
  const found = instructions.filter((instruction) => instruction.name === name)
  if (found.length !== 1) throw new Error(`${found.length} instructions ${name}`)
  return found[0]?.text ?? ''
}

/** The pairs of all ENV or LABEL instructions. */
export function pairsOf(instructions: readonly Instruction[], name: string): Record<string, string> {
  const pairs = instructions
    .filter((instruction) => instruction.name === name)
    .flatMap(({ text }) => [...text.matchAll(/([\w.]+)=(?:"([^"]*)"|(\S+))/g)])
    .map(([, key = '', quoted, plain]) => [key, quoted ?? plain ?? ''] as const)
  return Object.fromEntries(pairs)
}
