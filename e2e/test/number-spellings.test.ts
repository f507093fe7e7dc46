import { withMaskedNumbers } from '@merchant-payments/payer-client/form/words/masked-number'
import { describe, expect, test } from 'vitest'
import { parseMsisdn } from '../../packages/core/src/base/phone.ts'

const groups = ['6', '70', '12', '34', '27']

/** Every character that the API may take between two digits: all but letters, digits and controls. */
const separators = Array.from({ length: 0xffff }, (_, point) => String.fromCodePoint(point)).filter(
  (text) => {
    try {
      return parseMsisdn(groups.join(text), '237', 'phone') === '237670123427'
    } catch {
      return false
    }
  },
)

describe('a payer’s number in the words of an operator', () => {
  test('is masked with each separator that the API takes in a number', () => {
    expect(separators).toEqual(expect.arrayContaining([' ', '.', '-', '/', '\u00A0', '\u202F', '\u2011']))
    const shown = separators.filter((separator) => withMaskedNumbers(groups.join(separator)).includes('34'))
    expect(shown.map((text) => text.codePointAt(0)?.toString(16))).toEqual([])
  })

  test('is masked with two spaces, and with a bracket between them', () => {
    for (const text of ['Numéro 6 70  12 34 27 inconnu', '(237) 670 12 34 27', '+237 (6) 70 12 34 27']) {
      expect(withMaskedNumbers(text)).not.toMatch(/12/)
    }
  })

  test('leaves shorter numbers as they are', () => {
    expect(withMaskedNumbers('Erreur 5019, solde 25 000 F')).toBe('Erreur 5019, solde 25 000 F')
  })
})
