import * as fc from 'fast-check'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { encodeForm } from './form.ts'

const cyclic: Record<string, unknown> = {}
cyclic['self'] = cyclic

describe('a form', () => {
  test.each<[string, object, string]>([
    ['text', { a: 'b' }, 'a=b'],
    ['lists with their indexes', { a: ['x', 'y'] }, 'a[0]=x&a[1]=y'],
    ['objects in lists', { a: [{ k: 1 }, { k: 2 }] }, 'a[0][k]=1&a[1][k]=2'],
    ['five levels of brackets', { a: { b: { c: { d: { e: { f: 1 } } } } } }, 'a[b][c][d][e][f]=1'],
    ['null as an empty value', { a: null }, 'a='],
    ['an empty text as an empty value', { a: '' }, 'a='],
    ['undefined as nothing', { a: undefined, b: 1 }, 'b=1'],
    ['undefined in a list as a gap', { a: ['x', undefined, 'z'] }, 'a[0]=x&a[2]=z'],
    ['an empty list as an empty value', { a: [], b: { c: [] } }, 'a=&b[c]='],
    ['an empty object as nothing', { a: {} }, ''],
    [
      'a rail without fields as an empty value',
      { payment_method_data: { r: {} } },
      'payment_method_data[r]=',
    ],
    ['a rail whose fields are undefined', { destination: { r: { msisdn: undefined } } }, 'destination[r]='],
    ['a map without rails as nothing', { payment_method_data: {} }, ''],
    ['truth values', { a: true, b: false }, 'a=true&b=false'],
    ['zero', { a: 0 }, 'a=0'],
    ['the largest safe integer', { a: Number.MAX_SAFE_INTEGER }, 'a=9007199254740991'],
    ['a safe BigInt', { a: 5000n }, 'a=5000'],
    ['a plus as %2B and a space as %20', { a: '1 + 1' }, 'a=1%20%2B%201'],
    ['text beyond ASCII', { a: 'é✓\n' }, 'a=%C3%A9%E2%9C%93%0A'],
    ['delimiters in keys', { 'a&b': { 'c=d': 1 } }, 'a%26b[c%3Dd]=1'],
    ['the key __proto__', JSON.parse('{"__proto__":{"a":1}}') as object, '__proto__[a]=1'],
    ['objects of another realm', runInNewContext('({ a: { b: [1] } })') as object, 'a[b][0]=1'],
    ['objects without a prototype', Object.assign(Object.create(null) as object, { a: 1 }), 'a=1'],
  ])('carries %s', (_name, params, expected) => {
    expect(encodeForm(params)).toBe(expected)
  })

  test.each<[string, object, string]>([
    ['a fraction', { amount: 10.5 }, 'amount must be a safe integer'],
    ['an unsafe integer', { a: { b: 2 ** 53 } }, 'a[b] must be a safe integer'],
    ['NaN', { amount: Number.NaN }, 'amount must be a safe integer'],
    ['infinity', { amount: Number.POSITIVE_INFINITY }, 'amount must be a safe integer'],
    ['an unsafe BigInt', { amount: 2n ** 53n }, 'amount must be a safe integer'],
    ['a function', { a: () => 1 }, 'a must not be a function'],
    ['a symbol', { a: [Symbol('s')] }, 'a[0] must not be a symbol'],
    ['a Date', { a: new Date(0) }, 'a must be a plain object, an array or a scalar'],
    ['a Map', new Map([['a', 1]]), 'params must be a plain object, an array or a scalar'],
    ['half a surrogate pair', { a: '\ud800' }, 'a is not well-formed Unicode'],
    [
      'brackets in a key',
      { metadata: { 'a[b]': 'c' } },
      'metadata has a key that is empty or holds brackets',
    ],
    ['an empty key', { '': 1 }, 'params has a key that is empty or holds brackets'],
    ['a cycle', cyclic, 'self[self][self][self][self][self] is nested deeper than 5 levels'],
  ])('refuses %s before it sends anything', (_name, params, message) => {
    expect(() => encodeForm(params)).toThrow(new TypeError(message))
  })

  test('has one encoded form, which a retry by another version must repeat', () => {
    const params = {
      payment_method_types: ['orange_money_cm', 'mtn_momo_cm'],
      currency: 'XAF',
      amount: 5000,
      metadata: { zone: 'Douala', order: '42', 10: 'ten', 9: 'nine', Order: 'A&B', é: '' },
      lines: [
        { quantity: 2, amount: 1 },
        { description: null, amount: 2 },
      ],
    }
    expect(encodeForm(params).split('&')).toEqual([
      'amount=5000',
      'currency=XAF',
      'lines[0][amount]=1',
      'lines[0][quantity]=2',
      'lines[1][amount]=2',
      'lines[1][description]=',
      'metadata[10]=ten',
      'metadata[9]=nine',
      'metadata[Order]=A%26B',
      'metadata[order]=42',
      'metadata[zone]=Douala',
      'metadata[%C3%A9]=',
      'payment_method_types[0]=orange_money_cm',
      'payment_method_types[1]=mtn_momo_cm',
    ])
  })

  test('keeps the order of a list of more than ten items', () => {
    const list = Array.from({ length: 12 }, (_, index) => index)
    expect(encodeForm({ a: list })).toBe(list.map((index) => `a[${index}]=${index}`).join('&'))
  })

  test('does not depend on the order in which a map was filled', () => {
    fc.assert(
      fc.property(params, (value) => {
        expect(encodeForm(reversed(value))).toBe(encodeForm(value))
      }),
    )
  })

  test('decodes to the original values', () => {
    fc.assert(
      fc.property(params, (value) => {
        expect(decode(encodeForm(value))).toEqual(asText(value))
      }),
    )
  })
})

const key = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }).filter((text) => !/[[\]]/.test(text))

const { params } = fc.letrec<{ params: Record<string, unknown>; value: unknown }>((tie) => ({
  params: fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  value: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'form' },
    fc.string({ unit: 'grapheme' }),
    fc.maxSafeInteger(),
    fc.bigInt({ min: -(2n ** 53n) + 1n, max: 2n ** 53n - 1n }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3, depthIdentifier: 'form' }),
    fc.dictionary(key, tie('value'), {
      minKeys: 1,
      maxKeys: 3,
      depthIdentifier: 'form',
      noNullPrototype: true,
    }),
  ),
}))

/** The same value, whose maps were filled in reverse. */
const reversed = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(reversed) as T
  const entries = Object.entries(value).reverse()
  return Object.fromEntries(entries.map(([name, child]) => [name, reversed(child)])) as T
}

type Tree = Map<string, Tree | string>

/** Uses URLSearchParams, so that it shares no code with the encoder. */
function decode(form: string): Tree {
  const root: Tree = new Map()
  for (const [name, value] of new URLSearchParams(form)) {
    const path = name.replaceAll(']', '').split('[')
    let node = root
    for (const part of path.slice(0, -1)) {
      const child = node.get(part) ?? new Map<string, Tree | string>()
      if (typeof child === 'string') throw new Error('a name is both a value and a parent')
      node.set(part, child)
      node = child
    }
    node.set(path.at(-1) ?? '', value)
  }
  return root
}

type Scalar = string | number | bigint | boolean

const isEmpty = (value: object | null): value is null => value === null || Object.keys(value).length === 0

const asText = (value: object): Tree =>
  new Map(
    Object.entries(value).map(([name, child]: [string, object | Scalar | null]) => [
      name,
      typeof child === 'object' ? (isEmpty(child) ? '' : asText(child)) : String(child),
    ]),
  )
