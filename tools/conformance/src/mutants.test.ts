import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { chapters } from './chapters/index.ts'
import { applyEdit, isOf, sentencesOf, verdictOf } from './mutants.ts'
import { mutations } from './mutations.ts'
import { api, holds } from './sentence.ts'

const sentences = chapters.flatMap((chapter) => chapter.sentences)
const edit = { file: 'a.ts', find: 'one', replace: 'two $&' }

describe('an edit', () => {
  test('replaces the text that the file has once, letter for letter', () => {
    expect(applyEdit('this one', edit)).toBe('this two $&')
  })

  test.each([
    ['not at all', 'this'],
    ['twice', 'one by one'],
  ])('whose text the file has %s is an error', (_, code) => {
    expect(() => applyEdit(code, edit)).toThrow(/^a\.ts has this text [02] times/)
  })
})

test.each(mutations)(
  'the text of "$name" is in its file once, and tests hold its sentences',
  async (mutation) => {
    for (const one of mutation.edits) {
      const code = await readFile(new URL(`../../../${one.file}`, import.meta.url), 'utf8')
      expect(applyEdit(code, one)).not.toBe(code)
    }
    expect(sentencesOf(mutation, sentences)).toHaveLength(mutation.seenBy.length)
  },
)

test('a mutation that names a sentence which is not there, or which no test holds, is an error', () => {
  const mutation = { name: 'm', edits: [edit], seenBy: ['said'] }
  expect(() => sentencesOf(mutation, [holds('1', 'other', api('x', 'y'))])).toThrow('said')
  expect(() => sentencesOf(mutation, [holds('1', 'said')])).toThrow('said')
})

describe('the verdict on a run', () => {
  const sentence = holds('1', 'said', api('x', 'is %s (once)'), api('x', 'a describe'))
  const ran = (title: string, passed: boolean, file = 'apps/api/test/x.test.ts') => ({
    file,
    titles: ['a block', title],
    passed,
  })

  test('a test is known by its file and its title, with anything in the places of a table', () => {
    expect(isOf(api('x', 'is %s (once)'), ran('it is red (once), too', true))).toBe(true)
    expect(isOf(api('x', 'is %s (once)'), ran('is red once', true))).toBe(false)
    expect(isOf(api('y', 'is %s (once)'), ran('is red (once)', true))).toBe(false)
    expect(isOf(api('x', '$method $path'), ran('GET /v1', true))).toBe(true)
    expect(isOf(api('x', 'block'), ran('within it', true))).toBe(true)
  })

  test('a mutation is seen where a test of the sentence itself fails', () => {
    expect(verdictOf(sentence, [ran('is red (once)', false)], 'm')).toBeNull()
    const another = [ran('is red (once)', true), ran('another', false)]
    expect(verdictOf(sentence, another, 'm')).toContain('do not see "m"')
  })

  test('without a mutation all must pass, and something must have run', () => {
    expect(verdictOf(sentence, [ran('is red (once)', true)], null)).toBeNull()
    expect(verdictOf(sentence, [ran('is red (once)', false)], null)).toContain('without any mutation')
    expect(verdictOf(sentence, [ran('another', true)], null)).toContain('none of its tests ran')
    expect(verdictOf(sentence, [], 'm')).toContain('none of its tests ran')
  })
})
