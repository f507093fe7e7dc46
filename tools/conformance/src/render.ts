import { chapters } from './chapters/index.ts'
import { isAwaiting } from './check.ts'
import type { Chapter, Sentence } from './sentence.ts'
import { cell } from './table.ts'

const head = `# Conformance

Each sentence of the specification that a test can hold, in short, and the tests that hold it: a file and a part of a
test's title, as its file has it. What the specification leaves open is in [spec-gaps.md](spec-gaps.md).

\`npx pnpm@12 conformance\` writes this page from \`tools/conformance/src/chapters\`, and fails when a test that it names is
gone. A sentence that waits for a resource needs its tests from the day that the contract has the resource.
`

/** docs/conformance.md */
export function renderConformance(): string {
  const all = chapters.flatMap(({ sentences }) => sentences)
  const waiting = all.filter(isAwaiting).length
  const lacking = all.filter(({ lacks }) => lacks !== undefined).length
  const counts = `${all.length} sentences: ${all.length - waiting - lacking} held, ${waiting} waiting for a resource, ${lacking} without a test.\n`
  return [head, counts, ...chapters.map(chapterText)].join('\n')
}

const chapterText = ({ title, sentences }: Chapter): string =>
  [
    `## ${title}\n`,
    '| section | sentence | held by |',
    '| --- | --- | --- |',
    ...sentences.map(row),
    '',
  ].join('\n')

const row = (sentence: Sentence): string =>
  `| ${sentence.section} | ${cell(sentence.says)} | ${holdersOf(sentence).map(cell).join('<br>')} |`

function holdersOf(sentence: Sentence): string[] {
  if (sentence.lacks !== undefined) return [`**no test**: ${sentence.lacks}`]
  if (isAwaiting(sentence)) return [`**not yet**: waits for ${sentence.awaits}`]
  return sentence.tests.map(({ file, name }) => `\`${file}\`: ${name}`)
}
