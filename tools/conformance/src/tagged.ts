import { glob, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { titlesIn } from './titles.ts'

/** A test or a describe whose title names sections of the specification, as `[§4.3.5]` or `[§3.1, §6.2]`. */
export interface Tagged {
  readonly file: string
  /** Its title after those of the describes around it, all without their tags. */
  readonly title: string
  readonly sections: readonly string[]
}

export interface Tags {
  readonly tagged: readonly Tagged[]
  /** A line for each tag that no title has: it would be missing from the page. */
  readonly faults: readonly string[]
}

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Tests of the service and its clients. Those of tools are about no section. */
const testFiles = [
  '{apps,packages,examples}/*/{src,test,contract}/**/*.test.{ts,tsx}',
  '{bench,e2e}/{src,test}/**/*.test.ts',
]

/** All tags of the tree, by file and in the order of each file. */
export async function findTags(): Promise<Tags> {
  const files: string[] = []
  for await (const file of glob(testFiles, { cwd: root })) files.push(file)
  const found = await Promise.all(
    files
      .toSorted()
      .map(async (file) => tagsIn(file, await readFile(new URL(file, `file://${root}`), 'utf8'))),
  )
  return {
    tagged: found.flatMap(({ tagged }) => tagged),
    faults: found.flatMap(({ faults }) => faults),
  }
}

const tag = / ?\[(§\d+(?:\.\d+)*(?:, §\d+(?:\.\d+)*)*)\]/g

export function tagsIn(file: string, code: string): Tags {
  const named = code.split('§').length - 1
  // Most files have no tag, and parsing takes milliseconds for each file.
  if (named === 0) return { tagged: [], faults: [] }
  const tagged = titlesIn(file, code)
    .map((path) => ({
      file,
      title: path.map(withoutTags).join(' > '),
      sections: sectionsOf(path.at(-1) ?? ''),
    }))
    .filter(({ sections }) => sections.length > 0)
  const inTitles = tagged.reduce((sum, { sections }) => sum + sections.length, 0)
  const faults = inTitles === named ? [] : [`${file} has a § that is no tag of a title, such as [§4.3.5]`]
  return { tagged, faults }
}

const sectionsOf = (title: string): string[] =>
  [...title.matchAll(tag)].flatMap(([, sections = '']) => sections.split(', ').map((one) => one.slice(1)))

const withoutTags = (title: string): string => title.replaceAll(tag, '')
