import { describe, expect, test } from 'vitest'
import { csvOf } from './csv.ts'

async function written(rows: readonly (readonly (string | number | null)[])[]): Promise<string> {
  async function* parts() {
    yield rows
  }
  let text = ''
  for await (const chunk of csvOf(['head'], parts())) text += chunk
  return text
}

test('begins with a byte order mark and its heads', async () => {
  expect(await written([])).toBe('\uFEFFhead\r\n')
})

describe('a text that a spreadsheet would run as a formula', () => {
  test.each([
    ['=1+1', "'=1+1"],
    ['+237', "'+237"],
    ['-2', "'-2"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', '"\'\t\'=1"'],
    ['\r=1', '"\'\r\'=1"'],
    ['\n=1', '"\'\n\'=1"'],
    ['＝1', "'＝1"],
    ['=HYPERLINK("http://evil.example","x")', '"\'=HYPERLINK(""http://evil.example"",""x"")"'],
  ])('%j is written as %j', async (text, line) => {
    expect(await written([[text]])).toBe(`\uFEFFhead\r\n${line}\r\n`)
  })
})

test.each([';', ',', '\t'])(
  'no cell is a formula for a spreadsheet whose separator is %j',
  async (separator) => {
    const texts = [
      `order 7${separator}=1+1`,
      `x${separator}"=HYPERLINK(""http://evil.example"")`,
      `y${separator}@A1`,
    ]
    const cells = (await written(texts.map((text) => [text])))
      .split('\r\n')
      .flatMap((line) => line.split(separator))
    expect(cells).toHaveLength(8)
    expect(cells.filter((cell) => /^"*[=+\-@]/.test(cell))).toEqual([])
  },
)

test('a text with another separator is quoted, and otherwise kept', async () => {
  expect(await written([['a;b', 'a\tb', 'Order 7, - 2 pieces; 10-2=8']])).toBe(
    '\uFEFFhead\r\n"a;b","a\tb","Order 7, - 2 pieces; 10-2=8"\r\n',
  )
})

test('numbers stay numbers, also negative ones, and a null is empty', async () => {
  expect(await written([[-12.5, 0, null, 'a,b', 'say "x"']])).toBe(
    '\uFEFFhead\r\n-12.5,0,,"a,b","say ""x"""\r\n',
  )
})
