import { Refusal } from '@merchant-payments/contract'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { parseMsisdn } from './phone.ts'

const parse = (text: string) => parseMsisdn(text, '237', 'phone')

/** The canonical number, or the refusal. */
function read(text: string): string | Refusal {
  try {
    return parse(text)
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

describe('one number in all its spellings becomes 237677123456 [§2.2]', () => {
  test.each([
    '677123456',
    '+237 6 77 12 34 56',
    '+237677123456',
    '00237677123456',
    '00 237 677 123 456',
    '237677123456',
    '(237) 677-123-456',
    '237.677.123.456',
    '237/677/123/456',
    '6 77 12 34 56',
    'tel:+237677123456',
    'TEL:+237-677-123-456',
    'tel: 677123456',
    '  677123456\n',
    '677\u00A0123\u00A0456',
    '677\u202F123\u202F456',
    '６７７１２３４５６',
    '＋２３７６７７１２３４５６',
    '٦٧٧١٢٣٤٥٦',
    '۶۷۷۱۲۳۴۵۶',
    '߆߇߇߁߂߃߄߅߆',
    '६७७१२३४५६',
    '৬৭৭১২৩৪৫৬',
    '๖๗๗๑๒๓๔๕๖',
    '\u{1D7E8}\u{1D7E9}\u{1D7E9}123456',
    '\u202A+237 6 77 12 34 56\u202C',
    '\u2066tel:677123456\u2069',
    '\u200E677123456',
    '677\u200B123\u00AD456',
    '\uFEFF677123456',
    '677\u2011123\u2011456',
    '677–123—456',
    '677\u2212123\u2212456',
  ])('%s', (text) => {
    expect(parse(text)).toBe('237677123456')
  })
})

test.each([
  ['a foreign number of twelve digits', '+254 712 345 678', '254712345678'],
  ['a bare one', '254712345678', '254712345678'],
  ['one of a country whose own digits begin with 0', '+242 06 612 3456', '242066123456'],
  ['a fixed line', '222 12 34 56', '237222123456'],
])('every operator and country is accepted: %s', (_case, text, canonical) => {
  expect(parse(text)).toBe(canonical)
})

describe('refuses', () => {
  test.each([
    '',
    ' ',
    '+',
    'tel:',
    '()',
    '0677123456',
    '237 0677123456',
    '77123456',
    '2376771234567',
    '+677123456',
    '+24177123456',
    '011237677123456',
    '++237677123456',
    '+00237677123456',
    '237+677123456',
    '(+237) 677123456',
    '000677123456',
    '012345678901',
    '677123456 ext 3',
    '677123456;ext=3',
    '677123456,3',
    '677_123_456',
    '677-123-45a',
    '6771234½',
    '677\t123\t456',
    '\u202A\u202C',
    '677\u0301123456',
    '௬௭௭௧௨௩௪௫௬',
    '1e11',
    '#31#677123456',
    '*677123456',
  ])('%j, and names the field', (text) => {
    expect(read(text)).toMatchObject({ code: 'invalid_request', param: 'phone' })
  })

  test.each([
    ['separators, up to the longest spelling,', `677123456${' '.repeat(119)}`, 1],
    ['separators beyond the longest spelling', `677123456${' '.repeat(120)}`, 0],
    ['combining marks, which are sorted to be normalised', '\u0301\u0323'.repeat(8_000), 0],
    ['white space before a letter', `tel:${' '.repeat(16_000)}x`, 0],
  ])('a text of many %s is looked at only up to the longest spelling', (_, text, looks) => {
    const normalize = vi.spyOn(String.prototype, 'normalize')
    const number = read(text)
    expect(normalize).toHaveBeenCalledTimes(looks)
    normalize.mockRestore()
    if (looks === 0) expect(number).toMatchObject({ code: 'invalid_request', param: 'phone' })
    else expect(number).toBe('237677123456')
  })

  test('without repeating what was sent', () => {
    const refused = read('x677123456')
    expect(refused).toBeInstanceOf(Refusal)
    expect(JSON.stringify(refused)).not.toContain('677123456')
    expect((refused as Refusal).message).toBe(
      'must be a phone number with a country code, such as +237 6 70 00 00 01',
    )
  })
})

describe('whatever is sent', () => {
  const canonical = fc.stringMatching(/^[1-9]\d{11}$/)
  const separators = fc.array(fc.stringMatching(/^[ .\-/()]{0,3}$/), { minLength: 12, maxLength: 12 })

  test('a canonical number is its own canonical form', () => {
    fc.assert(
      fc.property(canonical, (number) => {
        expect(parse(number)).toBe(number)
      }),
    )
  })

  test('a text is refused, or has a canonical form that is its own', () => {
    const nearly = fc.stringMatching(/^(tel:)?\+?(00)?([1-9] ?){8,13}$/)
    fc.assert(
      fc.property(fc.oneof(fc.string(), nearly), (text) => {
        const number = read(text)
        expect(number instanceof Refusal || (/^[1-9]\d{11}$/.test(number) && parse(number) === number)).toBe(
          true,
        )
      }),
      { numRuns: 1_000 },
    )
  })

  test('separators and the international prefix change nothing', () => {
    fc.assert(
      fc.property(
        canonical,
        separators,
        fc.constantFrom('', '+', '00', 'tel:+'),
        (number, between, prefix) => {
          const spelling =
            prefix +
            number
              .split('')
              .map((digit, n) => digit + (between[n] ?? ''))
              .join('')
          expect(parse(spelling)).toBe(number)
        },
      ),
    )
  })

  test('nine digits take the country code of the deployment', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[1-9]\d{8}$/), fc.constantFrom('237', '242', '240'), (number, code) => {
        expect(parseMsisdn(number, code, 'phone')).toBe(code + number)
      }),
    )
  })
})
