import { expect, test } from 'vitest'
import { recordEnds } from './record-ends.ts'

/** The records of a text, and what is left after the last one that is whole. */
function recordsOf(text: string, delimiter = ','): string[] {
  const ends = [0, ...recordEnds(text, delimiter), text.length]
  return ends.slice(1).map((end, n) => text.slice(ends[n], end))
}

test.each([
  ['a line break', 'a,b\nc,d\n', ['a,b\n', 'c,d\n', '']],
  ['a line break of Windows', 'a\r\nb\r\n', ['a\r\n', 'b\r\n', '']],
  ['no line break in a quoted field', 'a,"b\nc"\nd', ['a,"b\nc"\n', 'd']],
  ['no line break after a doubled quote', '"a""\n",b\n', ['"a""\n",b\n', '']],
  ['no line break in a field that has not ended', 'a\nb,"c\n', ['a\n', 'b,"c\n']],
  ['a line break after a quote within a field', '5" pipe,a\nb "c"\n', ['5" pipe,a\n', 'b "c"\n', '']],
  ['no line break in a quoted field after such a quote', '5",a\nb,"c\nd"\n', ['5",a\n', 'b,"c\nd"\n', '']],
  ['no line break in a quoted field after the mark of UTF-8', '\uFEFF"a\nb"\n', ['\uFEFF"a\nb"\n', '']],
])('a record ends at %s', (_, text, records) => {
  expect(recordsOf(text)).toEqual(records)
})

test('a quote after another delimiter opens no field', () => {
  expect(recordsOf('a;"b\nc"\n', ';')).toEqual(['a;"b\nc"\n', ''])
  expect(recordsOf('a;b,"c\nd\n', ';')).toEqual(['a;b,"c\n', 'd\n', ''])
})

test('ends are found from any record on', () => {
  expect([...recordEnds('a\n"b\n"\nc\n', ',', 2)]).toEqual([7, 9])
})
