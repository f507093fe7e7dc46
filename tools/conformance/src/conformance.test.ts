import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { findRefFaults, findTagFaults } from './check.ts'
import { renderConformance } from './render.ts'
import { chapters, gaps } from './sections.ts'
import { findTags, tagsIn } from './tagged.ts'
import { api } from './test-ref.ts'
import { heldThreats, renderThreatModel } from './threats/render.ts'
import { titlesIn } from './titles.ts'

const tags = await findTags()

describe('the page of conformance', () => {
  test('has a test for each section, except for those with a stated reason, and no other section', () => {
    expect(findTagFaults(chapters, gaps, tags)).toEqual([])
  })

  test('matches the repository: `npx pnpm@12 conformance` writes it again', async () => {
    const page = await readFile(new URL('../../../docs/conformance.md', import.meta.url), 'utf8')
    expect(page).toBe(renderConformance(tags.tagged))
  })

  test('has the nine chapters of the specification, each with its own sections', () => {
    expect(chapters.map(({ title }) => title[0])).toEqual(Array.from('123456789'))
    for (const { title, sections } of chapters) {
      expect(Object.keys(sections).every((section) => section.split('.')[0] === title[0])).toBe(true)
    }
  })
})

describe('the threat model', () => {
  test('names only tests that exist, and one for each threat', async () => {
    expect(await findRefFaults(heldThreats())).toEqual([])
  })

  test('matches the repository: `npx pnpm@12 conformance` writes it again', async () => {
    const page = await readFile(new URL('../../../docs/threat-model.md', import.meta.url), 'utf8')
    expect(page).toBe(renderThreatModel())
  })
})

test('a reference to a test that is gone, renamed, only in a comment or only a table row is a fault', async () => {
  const held = (says: string, ...names: string[]) => ({
    says,
    tests: names.map((name) => api('http/routing', name)),
  })
  const found = await findRefFaults([
    held('held', 'answers anyone'),
    held('renamed', 'answers everyone'),
    held('in a comment', 'Every routed path of these surfaces'),
    held('a row', '/v1/balance'),
    { says: 'gone', tests: [api('http/gone', 'answers anyone')] },
    held('bare'),
  ])
  expect(found.map((fault) => /"(.*?)"/.exec(fault)?.[1])).toEqual([
    'renamed',
    'in a comment',
    'a row',
    'gone',
    'bare',
  ])
})

describe('a tag', () => {
  test('names one section or several, of a test or of a describe', () => {
    const code = `describe('a group [§1.1]:', () => {
      test('a test', run)
      test.each(rows)('with %s [§2.3.10, §4]', run)
    })`
    expect(tagsIn('a.test.ts', code)).toEqual({
      tagged: [
        { file: 'a.test.ts', title: 'a group:', sections: ['1.1'] },
        { file: 'a.test.ts', title: 'a group: > with %s', sections: ['2.3.10', '4'] },
      ],
      faults: [],
    })
  })

  test.each([
    ['in a comment', "// [§1.1]\ntest('a test', run)"],
    ['in the row of a table', "test.each([['a row [§1.1]']])('%s', run)"],
    ['with a word', "test('a test [§1.1 and more]', run)"],
    ['without brackets', "test('a test §1.1', run)"],
  ])('%s is a fault', (_, code) => {
    expect(tagsIn('a.test.ts', code).faults).toEqual([expect.stringContaining('a.test.ts')])
  })

  test('of an unknown section is a fault, as are a section without a test and a gap outside every section', () => {
    const [chapter] = [{ title: '1. One', sections: { '1.1': 'held', '1.2': 'open', '1.3': 'not tested' } }]
    const tagged = [{ file: 'a.test.ts', title: 'a test', sections: ['1.1', '1.9'] }]
    const some = ['1.3', '1.4'].map((section) => ({ section, says: 'it', why: 'so' }))
    expect(findTagFaults([chapter], some, { tagged, faults: [] })).toEqual([
      'a.test.ts: a test: there is no section 1.9',
      'a gap is in no section: 1.4',
      'section 1.2 has no test',
    ])
  })
})

test('titles are those of describes and tests, also of tables, and no other strings', () => {
  const code = `
    // test('in a comment', run)
    describe('a describe', () => {
      test('a test', () => expect('a string').toBe(titled('no title')))
      it.skipIf(cond('no title'))('a test that is skipped on a condition', run)
      test.each([['a row', 1]])('a row with %s', run)
      test.each<[string]>([['typed']])(\`typed: %s, \${more} and more\`, run)
      describe.each(rows)('$name', () => {
        test.for(rows)("for %s", run)
      })
      test(name, run)
    })
    const text = 'test(1)'
    cases.test.each('no title')`
  expect(titlesIn('a.test.ts', code)).toEqual([
    ['a describe'],
    ['a describe', 'a test'],
    ['a describe', 'a test that is skipped on a condition'],
    ['a describe', 'a row with %s'],
    ['a describe', 'typed: %s, %s and more'],
    ['a describe', '$name'],
    ['a describe', '$name', 'for %s'],
  ])
})
