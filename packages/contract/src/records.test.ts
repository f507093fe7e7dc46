import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cellsOf, recordEnds } from './records.ts'

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
  ['white space after a quoted cell', '"a\nb" \r,c\n"d"\t\r\r\ne\n', ['"a\nb" \r,c\n', '"d"\t\r\r\n', 'e\n']],
  ['a carriage return within a cell', 'a\rb,c\n"d\re",f\r\n', ['a\rb,c\n', '"d\re",f\r\n']],
  ['a byte order mark of a later file', 'a\n\uFEFF"b\nc"\nd\n', ['a\n', '\uFEFF"b\nc"\n', 'd\n']],
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

test.each([
  ['cells and their white space', ' a ,\tb\u00A0,,c\r\n', ['a', 'b', '', 'c']],
  ['quoted cells', '"a,b","c ""d""\ne" ,""\n', ['a,b', 'c "d"\ne', '']],
  ['carriage returns', 'a\rb,"c\rd"\r,e\r\r\n', ['a\rb', 'c\rd', 'e']],
  ['a quote within a cell', 'a 5" pipe,"b 5"" pipe"\n', ['a 5" pipe', 'b 5" pipe']],
  ['a byte order mark', '\uFEFF"a",b\n', ['a', 'b']],
  ['no line feed', 'a,', ['a', '']],
  ['nothing', '\n', ['']],
])('a record of %s', (_, record, cells) => {
  expect(cellsOf(record, ',')).toEqual(cells)
})

test.each(['"a', '"a,b\n', '"a""', '"a"b"\n', '"a" "b",c\n', '"'])('%j is no record', (record) => {
  expect(cellsOf(record, ',')).toBeNull()
})

test('what is written as records is read back, whatever the cells and the line ends are', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', ' ', '"', ',', ';', '\n', '\r') })
  const rows = fc.array(
    fc.tuple(fc.array(cell, { minLength: 1, maxLength: 4 }), fc.constantFrom('\n', '\r\n')),
  )
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
  fc.assert(
    fc.property(rows, (written) => {
      const text = written.map(([cells, lineEnd]) => cells.map(quoted).join(',') + lineEnd).join('')
      expect(recordsOf(text).map((record) => cellsOf(record, ','))).toEqual(
        written.map(([cells]) => cells.map((one) => one.trim())),
      )
    }),
  )
})
