import { type Chapter, chapters, type Gap, gaps } from './sections.ts'
import { cell } from './table.ts'
import type { Tagged } from './tagged.ts'

const head = `# Conformance

Each section of the specification, in short, and the tests that hold it. A test names its sections in its title, as \`[§4.3.5]\`;
a describe names them for all of its tests. What the specification leaves open is in [spec-gaps.md](spec-gaps.md).

\`npx pnpm@12 conformance\` writes this page from the titles. It fails when a title names a section that does not exist, and when
a section has no test. \`npx pnpm@12 vitest run -t '§4.3.5'\` runs the tests of a section.
`

/** docs/conformance.md */
export function renderConformance(tagged: readonly Tagged[]): string {
  const all = chapters.reduce((sum, { sections }) => sum + Object.keys(sections).length, 0)
  const counts = `${all} sections, ${tagged.length} tests and groups of tests that name them, ${gaps.length} statements without a test.\n`
  return [head, counts, ...chapters.map((chapter) => chapterText(chapter, tagged))].join('\n')
}

const chapterText = ({ title, sections }: Chapter, tagged: readonly Tagged[]): string =>
  [
    `## ${title}\n`,
    ...Object.entries(sections).map(([section, says]) => sectionText(section, says, tagged)),
  ].join('\n')

function sectionText(section: string, says: string, tagged: readonly Tagged[]): string {
  const holders = tagged.filter(({ sections }) => sections.includes(section))
  const lines = [
    ...holders.map(({ file, title }) => `- \`${file}\`: ${cell(title)}`),
    ...gaps.filter((gap) => gap.section === section).map(gapText),
  ]
  return [`### §${section}`, '', cell(says), '', ...lines, ''].join('\n')
}

const gapText = ({ says, why }: Gap): string => `- **no test**: ${cell(says)} ${cell(why)}`
