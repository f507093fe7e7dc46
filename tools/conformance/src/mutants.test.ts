import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { findRefFaults } from './check.ts'
import { applyEdit, isOf, verdictOf } from './mutants.ts'
import { mutations } from './mutations.ts'
import { api } from './test-ref.ts'

const edit = { file: 'a.ts', find: 'one', replace: 'two $&' }

describe('an edit', () => {
  test('replaces the text that the file has exactly once, character by character', () => {
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
  'the text of "$name" is in its file once, and the tests that see it are there',
  async (mutation) => {
    for (const one of mutation.edits) {
      const code = await readFile(new URL(`../../../${one.file}`, import.meta.url), 'utf8')
      expect(applyEdit(code, one)).not.toBe(code)
    }
    expect(await findRefFaults([{ says: mutation.name, tests: mutation.seenBy }])).toEqual([])
  },
)

describe('the verdict on a run', () => {
  const seer = api('x', 'is %s (once)')
  const ran = (title: string, passed: boolean, file = 'apps/api/test/x.test.ts') => ({
    file,
    titles: ['a block', title],
    passed,
  })

  test('a test is matched by its file and its title, with any values in the placeholders of a table', () => {
    expect(isOf(api('x', 'is %s (once)'), ran('it is red (once), too', true))).toBe(true)
    expect(isOf(api('x', 'is %s (once)'), ran('is red once', true))).toBe(false)
    expect(isOf(api('y', 'is %s (once)'), ran('is red (once)', true))).toBe(false)
    expect(isOf(api('x', '$method $path'), ran('GET /v1', true))).toBe(true)
    expect(isOf(api('x', 'block'), ran('within it', true))).toBe(true)
  })

  test('a mutation is detected if a case of the test fails', () => {
    const cases = [ran('is red (once)', true), ran('is green (once)', false)]
    expect(verdictOf(seer, cases, 'm')).toBeNull()
    const another = [ran('is red (once)', true), ran('another', false)]
    expect(verdictOf(seer, another, 'm')).toContain('does not see "m"')
  })

  test('without a mutation all cases must pass, and at least one must run', () => {
    expect(verdictOf(seer, [ran('is red (once)', true)], null)).toBeNull()
    expect(verdictOf(seer, [ran('is red (once)', false)], null)).toContain('without any mutation')
    expect(verdictOf(seer, [ran('another', true)], null)).toContain('did not run')
    expect(verdictOf(seer, [], 'm')).toContain('did not run')
  })
})
