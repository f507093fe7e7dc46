import { expect, test } from 'vitest'
import { recordEnds } from './records.ts'

const recordsOf = (text: string, delimiters = ',') => {
  let from = 0
  return [...recordEnds(text, 0, delimiters)].map((end) => {
    const record = text.slice(from, end)
    from = end
    return record
  })
}

test.each([
  ['lines', 'a,b\n1,2\r\n', ['a,b\n', '1,2\r\n']],
  ['an empty line', 'a\n\nb\n', ['a\n', '\n', 'b\n']],
  ['a line without an end', 'a\nb', ['a\n']],
  ['a line break within quotes', 'a,"b\nc"\nd\n', ['a,"b\nc"\n', 'd\n']],
  ['doubled quotes', '"a ""b""\nc",d\ne\n', ['"a ""b""\nc",d\n', 'e\n']],
  ['an empty cell in quotes', '"",""\n"a\nb"\n', ['"",""\n', '"a\nb"\n']],
  ['spaces after a quoted cell', '"a\nb" ,c\nd\n', ['"a\nb" ,c\n', 'd\n']],
  ['a quote within a cell, which is only a character', '5" pipe,x\n"a\nb"\n', ['5" pipe,x\n', '"a\nb"\n']],
  ['a byte order mark', '\uFEFF"a\nb"\nc\n', ['\uFEFF"a\nb"\n', 'c\n']],
  ['a quote that does not end', 'a\n"b\nc\n', ['a\n']],
])('the records of %s', (_, text, records) => {
  expect(recordsOf(text)).toEqual(records)
})

test('a quote opens a cell only after the delimiter of the file', () => {
  expect(recordsOf('a,"b;c\nd\n', ';')).toEqual(['a,"b;c\n', 'd\n'])
  expect(recordsOf('a;"b\nc"\nd\n', ',;')).toEqual(['a;"b\nc"\n', 'd\n'])
})

test('a start in the middle of the text gives the records from there on', () => {
  expect([...recordEnds('a\nb\nc\n', 2, ',')]).toEqual([4, 6])
})
