import { expect, test } from 'vitest'
import { ConfigError } from './faults.ts'
import { parseYaml } from './parse-yaml.ts'

function faultOf(text: string): string {
  try {
    parseYaml(text)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  return 'none'
}

test('JSON, anchors and the types of YAML 1.2 are read', () => {
  expect(parseYaml('{"a": [1, "b", null, true], "c": {"d": 0.5}}')).toEqual({
    a: [1, 'b', null, true],
    c: { d: 0.5 },
  })
  expect(parseYaml('a: &x [1]\nb: *x')).toEqual({ a: [1], b: [1] })
  // YAML 1.1 has a date, a boolean and an octal number here.
  expect(parseYaml('[2026-11-23, yes, 0644, "0644"]')).toEqual(['2026-11-23', 'yes', 644, '0644'])
})

test.each([
  ['a: 1\na: 2', 'line 2, column 1: is not valid YAML: duplicated mapping key'],
  ['a: *canary', 'line 1, column 5: is not valid YAML'],
  ['a: !canary b', 'line 1, column 4: is not valid YAML'],
  [
    'a: "canary',
    'line 1, column 11: is not valid YAML: unexpected end of the stream within a double quoted scalar',
  ],
  ['', 'the file: is not valid YAML'],
  ['a: 1\n---\nb: 2', 'the file: is not valid YAML'],
])('%j is refused, and nothing of it is quoted', (text, message) => {
  expect(faultOf(text)).toContain(message)
  expect(faultOf(text)).not.toContain('canary')
})

test('aliases that stand for too much are refused', () => {
  const levels = Array.from({ length: 8 }, (_, n) => `a${n + 1}: &x${n + 1} [${`*x${n},`.repeat(10)}]`)
  expect(faultOf(['a0: &x0 [1]', ...levels].join('\n'))).toMatch(/^the file: has too many values/)
  expect(faultOf('a: &x [*x, *x]')).toMatch(/^the file: /)
})
