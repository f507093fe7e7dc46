import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { chapters } from './chapters/index.ts'
import { findFaults } from './check.ts'
import { renderConformance } from './render.ts'
import { api, awaits, holds, lacks } from './sentence.ts'
import { renderThreatModel, threatSentences } from './threats/render.ts'
import { titlesIn } from './titles.ts'

const sentences = chapters.flatMap(({ sentences }) => sentences)

describe('the page of conformance', () => {
  test('names no test that is not there, and no sentence without one but those that say why', async () => {
    expect(await findFaults(sentences)).toEqual([])
  })

  test('is the one in the repository: `npx pnpm@12 conformance` writes it anew', async () => {
    const page = await readFile(new URL('../../../docs/conformance.md', import.meta.url), 'utf8')
    expect(page).toBe(renderConformance())
  })

  test('has a chapter for each of the nine of the specification, and each sentence once', () => {
    expect(chapters.map(({ title }) => title[0])).toEqual(Array.from('123456789'))
    for (const [at, { sentences }] of chapters.entries()) {
      expect(sentences.every(({ section }) => section.startsWith(`${at + 1}`))).toBe(true)
    }
    expect(new Set(sentences.map(({ says }) => says)).size).toBe(sentences.length)
  })
})

describe('the threat model', () => {
  test('names no test that is not there, and no threat without one', async () => {
    expect(await findFaults(threatSentences())).toEqual([])
  })

  test('is the one in the repository: `npx pnpm@12 conformance` writes it anew', async () => {
    const page = await readFile(new URL('../../../docs/threat-model.md', import.meta.url), 'utf8')
    expect(page).toBe(renderThreatModel())
  })
})

test('a test that is gone, renamed, only in a comment or only a row of a table is a fault', async () => {
  const found = await findFaults([
    holds('1', 'held', api('http/routing', 'answers anyone')),
    holds('1', 'renamed', api('http/routing', 'answers everyone')),
    holds('1', 'in a comment', api('http/routing', 'Every routed path of these surfaces')),
    holds('1', 'a row', api('http/routing', '/v1/balance')),
    holds('1', 'gone', api('http/gone', 'answers anyone')),
    holds('1', 'bare'),
    lacks('1', 'admitted', 'for a reason'),
    awaits('nothing', '1', 'to come', api('http/gone', 'x')),
    awaits('paymentIntents', '1', 'has come', api('http/gone', 'x')),
  ])
  expect(found.map((fault) => /"(.*?)"/.exec(fault)?.[1])).toEqual([
    'renamed',
    'in a comment',
    'a row',
    'gone',
    'bare',
    'has come',
  ])
})

test('titles are those of describes and tests, of tables too, and nothing else', () => {
  const code = `
    // test('in a comment', run)
    describe('a describe', () => {
      test('a test', () => expect('a string').toBe(titled('no title')))
      it.skipIf(cond('no title'))('a test that is skipped on a condition', run)
      test.each([['a row', 1]])('a row with %s', run)
      test.each<[string]>([['typed']])(\`typed: %s, \${more} and more\`, run)
      describe.each(rows)('$name', run)
      test.for(rows)("for %s", run)
      test(name, run)
    })
    const text = 'test(1)'
    cases.test.each('no title')`
  expect(titlesIn(code)).toEqual([
    'a describe',
    'a test',
    'a test that is skipped on a condition',
    'a row with %s',
    'typed: %s, %s and more',
    '$name',
    'for %s',
  ])
})
