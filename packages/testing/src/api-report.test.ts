import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { apiReportOf, brokenNames, unnamedBreaks } from './api-report.ts'
import { testFolder } from './test-folder.ts'

async function reportOf(files: Record<string, string>): Promise<string> {
  const folder = await testFolder()
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  return apiReportOf(join(folder, 'index.d.mts'))
}

const chunk = `/** Not in the report. */
interface Options {
  /** Nor this. */
  readonly b: Inner
}
type Inner = 'x' | 'y'
interface Unreached { c: string }
declare function make(options: Options): string
export { make as t }`

test('an API report has the exported names and what they reach, across files and without comments', async () => {
  const index = `import { t as make } from './chunk.mjs'\nexport declare const a: number\nexport { make }`
  expect(await reportOf({ 'chunk.d.mts': chunk, 'index.d.mts': index })).toBe(`export a
export make

const a: number;

function make(options: Options): string;

interface Options {
    readonly b: Inner;
}

type Inner = 'x' | 'y';
`)
})

test.each([
  ['nothing', 'interface A {\n    a: string;\n}', []],
  ['an added member', 'interface A {\n    a: string;\n    b?: string;\n}', []],
  ['a removed member', 'interface A {\n}', ['A']],
  ['a changed member', 'interface A {\n    a: number;\n}', ['A']],
  ['a removed name', 'interface B {\n    a: string;\n}', ['A']],
])('after %s the broken names are found', (_what, after, broken) => {
  const report = (declaration: string) => `export A\n\n${declaration}\n`
  expect(brokenNames(report('interface A {\n    a: string;\n}'), report(after))).toEqual(broken)
})

test('a name that is no longer exported is broken, also if its declaration stays', () => {
  expect(
    brokenNames('export A\nexport B\n\ntype A = B\n\ntype B = 1\n', 'export A\n\ntype A = B\n\ntype B = 1\n'),
  ).toEqual(['B'])
})

const released = 'export A\n\ninterface A {\n    a: string;\n}\n'
const broken = 'export A\n\ninterface A {\n}\n'

test.each<[string, string, string | null, string[]]>([
  ['no change', released, null, []],
  ['a break without a changeset', broken, null, ['A']],
  ['a break that a minor changeset names', broken, "---\n'pkg': minor\n---\n\n`A` lost `a`.", ['A']],
  [
    'a break that a major changeset of another package names',
    broken,
    "---\n'other': major\n---\n\n`A`",
    ['A'],
  ],
  ['a break that a major changeset does not name', broken, "---\n'pkg': major\n---\n\nLess.", ['A']],
  ['a break that a major changeset names', broken, "---\n'pkg': major\n---\n\n`A` lost `a`.", []],
])('a release is held for %s', async (_what, report, changeset, expected) => {
  const workspace = await testFolder()
  const root = join(workspace, 'packages/pkg')
  await mkdir(join(root, 'api/released'), { recursive: true })
  await mkdir(join(workspace, '.changeset'))
  await writeFile(join(root, 'package.json'), '{ "name": "pkg" }')
  await writeFile(join(root, 'api/released/index.txt'), released)
  if (changeset !== null) await writeFile(join(workspace, '.changeset/a.md'), changeset)
  expect(await unnamedBreaks(root, 'index', report)).toEqual(expected)
})
