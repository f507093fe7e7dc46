import { readFile } from 'node:fs/promises'
import type { Chapter, Gap } from './sections.ts'
import type { Tags } from './tagged.ts'
import type { TestRef } from './test-ref.ts'
import { titlesIn } from './titles.ts'

const root = new URL('../../../', import.meta.url)

/** Finds wrong tags, one line each: a section that does not exist, or one without a test and without a gap. */
export function findTagFaults(chapters: readonly Chapter[], gaps: readonly Gap[], tags: Tags): string[] {
  const known = new Set(chapters.flatMap(({ sections }) => Object.keys(sections)))
  const held = new Set([
    ...tags.tagged.flatMap(({ sections }) => sections),
    ...gaps.map(({ section }) => section),
  ])
  const unknown = tags.tagged.flatMap(({ file, title, sections }) =>
    sections
      .filter((section) => !known.has(section))
      .map((section) => `${file}: ${title}: there is no section ${section}`),
  )
  return [
    ...tags.faults,
    ...unknown,
    ...gaps
      .filter(({ section }) => !known.has(section))
      .map(({ section }) => `a gap is in no section: ${section}`),
    ...[...known].filter((section) => !held.has(section)).map((section) => `section ${section} has no test`),
  ]
}

/** Something that tests hold: a threat, or a mutation. */
export interface Held {
  readonly says: string
  readonly tests: readonly TestRef[]
}

/** Finds wrong references to tests, one line each. */
export async function findRefFaults(held: readonly Held[]): Promise<string[]> {
  return (await Promise.all(held.map(refFaultsOf))).flat()
}

async function refFaultsOf({ says, tests }: Held): Promise<string[]> {
  if (tests.length === 0) return [`"${says}" has no test`]
  const found = await Promise.all(tests.map(exists))
  return tests
    .filter((_, n) => found[n] !== true)
    .map(({ file, name }) => `"${says}" names a test that is not there: ${file}: ${name}`)
}

const titles = new Map<string, Promise<readonly string[]>>()

async function exists({ file, name }: TestRef): Promise<boolean> {
  const known = titles.get(file) ?? titlesOf(file)
  titles.set(file, known)
  return (await known).some((text) => text.includes(name))
}

async function titlesOf(file: string): Promise<readonly string[]> {
  const code = await readFile(new URL(file, root), 'utf8').catch(() => '')
  return titlesIn(file, code).map((path) => path.at(-1) ?? '')
}
