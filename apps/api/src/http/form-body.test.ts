import { Refusal } from '@merchant-payments/contract'
import { describe, expect, test } from 'vitest'
import { type FormTree, parseForm } from './form-body.ts'

const plain = (tree: unknown): unknown => JSON.parse(JSON.stringify(tree))

describe('forms of clients of the compatible API [§2.1]', () => {
  test.each([
    ['a[0]=x&a[1]=y', { a: { 0: 'x', 1: 'y' } }],
    ['a[]=x&a[]=y', { a: { 0: 'x', 1: 'y' } }],
    ['a[0]=x&a[2]=z', { a: { 0: 'x', 2: 'z' } }],
    ['a[2]=x&a[]=y', { a: { 2: 'x', 3: 'y' } }],
    ['a[b]=x&a[]=y', { a: { b: 'x', 0: 'y' } }],
    ['a[0][k]=1&a[1][k]=2', { a: { 0: { k: '1' }, 1: { k: '2' } } }],
    ['a[b][c]=d', { a: { b: { c: 'd' } } }],
    ['a%5Bb%5D=c', { a: { b: 'c' } }],
    ['a=', { a: '' }],
    ['a', { a: '' }],
    ['', {}],
    ['&&a=1&', { a: '1' }],
    ['v=%2B20%26%3D%25%C3%A9%E2%9C%93%0A', { v: '+20&=%é✓\n' }],
    ['v=a+b', { v: 'a b' }],
    ['metadata[0]=x', { metadata: { 0: 'x' } }],
    ['a[1][2][3][4][5]=deep', { a: { 1: { 2: { 3: { 4: { 5: 'deep' } } } } } }],
  ])('%s', (text, tree) => {
    expect(plain(parseForm(text))).toEqual(tree)
  })
})

describe('a refused form names the parameter, if its name has a plain word in front', () => {
  test.each([
    ['a=1&a=2', 'a'],
    ['a[b]=1&a[b]=2', 'a[b]'],
    ['a=1&a[b]=2', 'a[b]'],
    ['a[b]=1&a=2', 'a'],
    ['metadata[a[b]]=c', 'metadata'],
    ['[a]=1', undefined],
    ['a]=1', undefined],
    ['a[1][2][3][4][5][6]=bomb', 'a[1][2][3][4][5][6]'],
    ['a=%00', 'a'],
    ['a%00=1', undefined],
    ['a[b]=%zz', 'a[b]'],
    ['a=%ff', 'a'],
    ['a=%c0%80', 'a'],
    ['a=%ed%a0%80', 'a'],
    ['a=%e', 'a'],
    ['%zz=a', undefined],
    [Array.from({ length: 1001 }, (_, n) => `k${n}=`).join('&'), undefined],
  ])('%.60s', (text, param) => {
    const refusal = refusalOf(() => parseForm(text))
    expect(refusal.code).toBe('invalid_request')
    expect(refusal.param).toBe(param)
  })
})

test('prototype keys are ordinary keys and pollute nothing', () => {
  const tree = parseForm('__proto__[polluted]=1&constructor[prototype][polluted]=1&metadata[__proto__]=x')
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  expect(Object.keys(tree)).toEqual(['__proto__', 'constructor', 'metadata'])
  expect(JSON.stringify(tree['metadata'])).toBe('{"__proto__":"x"}')
})

/** Counts the look-ups, writes and listed keys that a parse makes in the maps of its tree. */
function stepsOf(text: string): number {
  let steps = 0
  const counted = <Result>(result: Result): Result => {
    steps += 1
    return result
  }
  const countingMap = (): FormTree =>
    new Proxy(Object.create(null) as FormTree, {
      get: (map, key) => counted(Reflect.get(map, key)),
      set: (map, key, value) => counted(Reflect.set(map, key, value)),
      has: (map, key) => counted(Reflect.has(map, key)),
      ownKeys: (map) => {
        steps += Reflect.ownKeys(map).length
        return Reflect.ownKeys(map)
      },
    })
  parseForm(text, countingMap)
  return steps
}

describe('twice the parameters cost at most twice the steps:', () => {
  test.each<[string, (n: number) => string]>([
    ['a[]', () => 'a[]=x'],
    ['a[][k]', () => 'a[][k]=x'],
    ['a[n]', (n) => `a[${n}]=x`],
    ['a[n], from the last', (n) => `a[${1_000 - n}]=x`],
    ['a[kn]', (n) => `a[k${n}]=x`],
    ['kn', (n) => `k${n}=x`],
    ['a[n] and a[]', (n) => (n % 2 === 0 ? `a[${n * 3}]=x` : 'a[]=x')],
    ['a[b][c][d][e][]', () => 'a[b][c][d][e][]=x'],
  ])('%s', (_, pair) => {
    const form = (count: number) => Array.from({ length: count }, (_, n) => pair(n)).join('&')
    expect(stepsOf(form(1_000))).toBeLessThanOrEqual(2 * stepsOf(form(500)))
  })
})

function refusalOf(run: () => unknown): Refusal {
  try {
    run()
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
  throw new Error('expected a refusal')
}
