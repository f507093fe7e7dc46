import { expect, test } from 'vitest'
import { asTheyCome } from './as-they-come.ts'

const LONG_MS = 60_000

test('results that come in time share one group', async () => {
  const groups = await asTheyCome(
    ['a', 'b', 'c'].map((name) => Promise.resolve(name)),
    async (group) => group,
    LONG_MS,
  )
  expect(groups).toEqual([['a', 'b', 'c']])
})

test('a result that is late delays no other', async () => {
  const late = Promise.withResolvers<string>()
  const handled: string[][] = []
  const ended = asTheyCome(
    [Promise.resolve('a'), late.promise, Promise.resolve('c')],
    async (group) => void handled.push([...group]),
    1,
  )
  await expect.poll(() => handled).toEqual([['a', 'c']])
  late.resolve('b')
  await ended
  expect(handled).toEqual([['a', 'c'], ['b']])
})

test('one group is handled after the other', async () => {
  const first = Promise.withResolvers<void>()
  const second = Promise.withResolvers<string>()
  const begun: string[][] = []
  const ended = asTheyCome(
    [Promise.resolve('a'), second.promise],
    async (group) => {
      begun.push([...group])
      if (begun.length === 1) await first.promise
    },
    1,
  )
  await expect.poll(() => begun).toEqual([['a']])
  second.resolve('b')
  await new Promise((resolve) => setImmediate(resolve))
  expect(begun).toEqual([['a']])
  first.resolve()
  await ended
  expect(begun).toEqual([['a'], ['b']])
})

test('without promises nothing is handled, and a rejected promise is thrown', async () => {
  expect(await asTheyCome([], () => Promise.reject(new Error('handled')))).toEqual([])
  await expect(asTheyCome([Promise.reject(new Error('failed'))], async () => 0)).rejects.toThrow('failed')
})

test('what comes after a failure is handled before the first error is thrown', async () => {
  const late = Promise.withResolvers<string>()
  const handled: string[][] = []
  const ended = asTheyCome(
    [Promise.reject(new Error('rejected')), Promise.resolve('a'), late.promise],
    async (group) => {
      handled.push([...group])
      throw new Error('not recorded')
    },
    1,
  )
  await expect.poll(() => handled).toEqual([['a']])
  late.resolve('b')
  await expect(ended).rejects.toThrow('rejected')
  expect(handled).toEqual([['a'], ['b']])
})
