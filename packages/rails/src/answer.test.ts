import { describe, expect, test } from 'vitest'
import { parseObject, railText, readCallback, statusWord } from './answer.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

describe('the answer of a rail', () => {
  test.each([
    ['', null],
    ['null', null],
    ['[1]', null],
    ['"text"', null],
    ['{"a":', null],
    ['<html><body>502</body></html>', null],
    ['['.repeat(30_000), null],
    ['{}', {}],
    ['\u{feff}{"a":"b"}', { a: 'b' }],
    ['{"id":12345678901234567890,"n":{"m":[5.0]}}', { id: '12345678901234567890', n: { m: ['5.0'] } }],
  ])('%.40s is read as an object with exact numbers, or null', (text, body) => {
    expect(parseObject(bytes(text))).toEqual(body)
  })

  test.each([
    [4_096, { a: expect.any(String) as string }],
    [4_097, null],
  ])('a callback of %d bytes is read up to 4 KiB', (size, body) => {
    const text = `{"a":"${'x'.repeat(size - '{"a":""}'.length)}"}`
    expect(readCallback(bytes(text))).toEqual(body)
  })

  test('a callback is read without a step for each of its numbers', () => {
    expect(readCallback(bytes('{"a":"5","b":[5.0]}'))).toEqual({ a: '5', b: [5] })
  })

  test('is stripped of control characters, excess length and broken characters', () => {
    expect(railText('a\u0000b\r\nc\u0085')).toBe('abc')
    expect(railText('x'.repeat(501))).toBe('x'.repeat(500))
    expect(railText(`${'x'.repeat(499)}😀`)).toBe(`${'x'.repeat(499)}\ufffd`)
    expect([railText(' '), railText(''), railText(5), railText(undefined)]).toEqual([null, null, null, null])
  })

  test('has as status a word of at most 64 capitals', () => {
    expect(statusWord({ status: 'Awaiting-Approval 237670000001' })).toBe('AWAITINGAPPROVAL')
    expect(statusWord({ status: 'A'.repeat(100) })).toBe('A'.repeat(64))
    expect([statusWord({}), statusWord({ status: '123' }), statusWord({ status: null })]).toEqual([
      null,
      null,
      null,
    ])
  })
})
