import { expect, test } from 'vitest'
import { inBatches } from './in-batches.ts'

function heldWriter() {
  const batches: { items: readonly string[]; end: PromiseWithResolvers<void> }[] = []
  const write = inBatches<string>((items) => {
    const end = Promise.withResolvers<void>()
    batches.push({ items, end })
    return end.promise
  })
  const started = async (count: number) => {
    while (batches.length < count) await Promise.resolve()
  }
  return { write, batches, started, seen: () => batches.map(({ items }) => items) }
}

test('items that arrive during a write share the next one', async () => {
  const { write, batches, started, seen } = heldWriter()
  const first = write('a')
  await started(1)
  const others = [write('b'), write('c')]
  expect(seen()).toEqual([['a']])

  batches[0]?.end.resolve()
  await first
  await started(2)
  expect(seen()).toEqual([['a'], ['b', 'c']])
  batches[1]?.end.resolve()
  await Promise.all(others)
})

test('a failed batch rejects only its own items, and the next batch is written', async () => {
  const { write, batches, started, seen } = heldWriter()
  const first = write('a')
  await started(1)
  const second = write('b')

  batches[0]?.end.reject(new Error('away'))
  await expect(first).rejects.toThrow('away')
  await started(2)
  batches[1]?.end.resolve()
  await second
  expect(seen()).toEqual([['a'], ['b']])
})
