import { expect, test } from 'vitest'
import { checkComments, checkSubject } from './check.ts'

const words = (count: number) => Array.from({ length: count }, () => 'word').join(' ')
const problemsOf = (source: string) => checkComments(source).map(({ line, problem }) => [line, problem])

test('a comment: names the line and the opening of an inverted sentence', () => {
  expect(problemsOf(`const a = 1\n/** Of nobody's object. */\nconst b = 2`)).toEqual([
    [2, `opens with "Of": Of nobody's object.`],
  ])
})

test('a comment: counts the words of each sentence over its lines', () => {
  const source = `// Short.\n// W${words(13)}\n// ${words(13)}.\n// Short.`
  expect(problemsOf(source)).toEqual([[1, expect.stringMatching(/^26 words, more than 25: Wword/)]])
  expect(problemsOf(`/**\n * ${words(25)}.\n *\n * ${words(25)}.\n */`)).toEqual([])
})

test('a comment: ignores code, lists, examples and directives', () => {
  expect(problemsOf(`// ${words(20)} \`${words(10)}\`.`)).toEqual([])
  expect(problemsOf(`// ${words(10)}, ${words(10)}, ${words(10)}, ${words(10)}.`)).toEqual([])
  expect(problemsOf(`/**\n * Short.\n *\n * @example\n * ${words(30)}\n */`)).toEqual([])
  expect(problemsOf(`// oxlint-disable-next-line ${words(30)}`)).toEqual([])
})

test('a commit: allows subjects of 65 characters', () => {
  expect(checkSubject('x'.repeat(65))).toBeNull()
  expect(checkSubject('x'.repeat(66))).toBe(`66 characters, more than 65: ${'x'.repeat(66)}`)
})
