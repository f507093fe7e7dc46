import type { Edit } from './mutations.ts'
import type { TestRef } from './test-ref.ts'

/** @throws Error where the file does not have the text exactly once: such a mutation would try nothing, or too much */
export function applyEdit(code: string, { file, find, replace }: Edit): string {
  const count = code.split(find).length - 1
  if (count !== 1) throw new Error(`${file} has this text ${count} times instead of once: ${find}`)
  return code.replace(find, () => replace)
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

/** A pattern for a title as the file has it: anything stands in the places that a table fills in. */
export const patternOf = (name: string): string =>
  name
    .split(/%[sidfjo#%]|\$[\w.]+/)
    .map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
    .join('.*')

/** Judges a test by its runs: without the mutation all its cases must pass, and with it one must fail. */
export function verdictOf(test: TestRef, run: readonly Ran[], mutation: string | null): string | null {
  const own = run.filter((ran) => isOf(test, ran))
  const name = `${test.file}: ${test.name}`
  if (own.length === 0) return `${name}: did not run`
  const failed = own.some(({ passed }) => !passed)
  if (mutation === null) return failed ? `${name}: fails without any mutation` : null
  return failed ? null : `${name}: does not see "${mutation}"`
}
