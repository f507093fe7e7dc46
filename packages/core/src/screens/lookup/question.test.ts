import { expect, test } from 'vitest'
import { parseQuestion } from './question.ts'

const of = (text: string) => parseQuestion(text, '237')

test.each([
  [
    'Votre paiement de 200 XAF a ete effectue le 2026-06-25 19:04:18. Frais: 0 XAF. Transaction Id: 17677469451.',
    ['2026-06-25', '17677469451'],
  ],
  ['Paiement de X reussi. ID transaction:MP260714.1658.D46780, Montant:2100 FCFA.', ['MP260714.1658.D46780']],
  ['A-10', []],
])('references are found within %j', (text, parts) => {
  expect(of(text).references).toEqual([text, ...parts])
})

test('at most ten references are looked up', () => {
  const text = Array.from({ length: 30 }, (_, n) => `ref-${1_000 + n}`).join(' ')
  expect(of(text).references).toHaveLength(10)
})

test.each([
  ['25000', 25_000],
  ['25 000', 25_000],
  ['25,000', 25_000],
  ['25.000 FCFA', 25_000],
  ['25000F', 25_000],
  ['1.250.000', 1_250_000],
  ['25\u202f000', 25_000],
  ['5000 F CFA', 5_000],
  ['5 000 FCFA', 5_000],
  ['5000 XAF', 5_000],
  ['12,50', null],
  ['1 250,50', null],
  ['1 250,500', null],
  ['25.00 FCFA', null],
  ['11 22 33', null],
  ['0', null],
  ['123456789', null],
  ['A25', null],
])('%j is the amount %j', (text, amount) => {
  expect(of(text).amount).toBe(amount)
})

test.each([
  ['+237 6 77 11 22 33', '237677112233', '237677112233'],
  ['2233', null, '2233'],
  ['11 22 33', null, '112233'],
  ['11\u00A022\u00A033', null, '112233'],
  ['11\u202F22\u202F33', null, '112233'],
  ['11\u201122\u201133', null, '112233'],
  ['22-33', null, '2233'],
  ['22/33', null, '2233'],
  ['22  33', null, '2233'],
  ['22x33', null, null],
  ['+2233', null, null],
  ['223', null, null],
  ['order', null, null],
])('%j has the number %j and the ending %j', (text, number, ending) => {
  expect(of(text)).toMatchObject({ number, ending })
})

test.each([
  ['order_id=A-1042', { key: 'order_id', value: 'A-1042' }],
  ['A-1042', { key: null, value: 'A-1042' }],
  ['=x', { key: null, value: '=x' }],
])('%j is the metadata %j', (text, metadata) => {
  expect(of(text).metadata).toEqual(metadata)
})

test.each([
  ['awa', ['awa'], true],
  ['Marie-Claire', ['Marie-Claire', 'marie claire'], true],
  ['N’Diaye', ['N’Diaye', "N'Diaye", 'n diaye'], true],
  ["N'Diaye", ["N'Diaye", 'N’Diaye', 'n diaye'], true],
  ['Ngonó', ['Ngon\u00F3', 'Ngono\u0301', 'ngono'], true],
  ['Awa 2', ['Awa 2', 'awa 2'], true],
  ['Al', ['Al', 'al'], false],
  ['a b c d e f ghi', ['a b c d e f ghi'], false],
])('%j is the name %j, of which the first letters are enough: %j', (text, spellings, isBegun) => {
  expect(of(text).name).toEqual({ spellings, isBegun })
})

test.each([
  'x',
  'A-1042',
  'ORD-42',
  'pi_abcdefab',
  'You have got 5 000 FCFA from Awa, reference 42',
  'order_id=A',
  '2500 FCFA',
  'awa@example.com',
  '+237677112233',
])('%j is no name', (text) => {
  expect(of(text).name).toBeNull()
})

test.each([
  ['Awa@Example.com', 'awa@example.com'],
  ['awa@', null],
  ['a b@c', null],
])('%j is the e-mail %j', (text, email) => {
  expect(of(text).email).toBe(email)
})
