import type { Edit, Mutation } from './mutations.ts'
import type { Sentence, TestRef } from './sentence.ts'

/** @throws Error where the file does not have the text exactly once: such a mutation would try nothing, or too much */
export function applyEdit(code: string, { file, find, replace }: Edit): string {
  const count = code.split(find).length - 1
  if (count !== 1) throw new Error(`${file} has this text ${count} times, in place of once: ${find}`)
  return code.replace(find, () => replace)
}

/** @throws Error where a sentence is not there, or has no test */
export function sentencesOf({ name, seenBy }: Mutation, all: readonly Sentence[]): readonly Sentence[] {
  return seenBy.map((says) => {
    const found = all.find((sentence) => sentence.says === says)
    if (found === undefined || found.tests.length === 0)
      throw new Error(`"${name}" is to be seen by a sentence that no test holds: ${says}`)
    return found
  })
}

/** A test of a run: its file from the root, its describes and itself, and whether it passed. */
export interface Ran {
  readonly file: string
  readonly titles: readonly string[]
  readonly passed: boolean
}

export const isOf = ({ file, name }: TestRef, ran: Pick<Ran, 'file' | 'titles'>): boolean => {
  const shape = new RegExp(patternOf(name))
  return ran.file === file && ran.titles.some((title) => shape.test(title))
}

/** Of a title as the file has it: anything stands in the places that a table fills in. */
export const patternOf = (name: string): string =>
  name
    .split(/%[sidfjo#%]|\$[\w.]+/)
    .map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
    .join('.*')

/** What is wrong with a sentence's tests after a run of them: without the mutation all must pass, with it one must not. */
export function verdictOf(
  { section, says, tests }: Sentence,
  run: readonly Ran[],
  mutation: string | null,
): string | null {
  const own = run.filter((ran) => tests.some((test) => isOf(test, ran)))
  const sentence = `${section} "${says}"`
  if (own.length === 0) return `${sentence}: none of its tests ran`
  const failed = own.some(({ passed }) => !passed)
  if (mutation === null) return failed ? `${sentence}: its tests fail without any mutation` : null
  return failed ? null : `${sentence}: its tests do not see "${mutation}"`
}
