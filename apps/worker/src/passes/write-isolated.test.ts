import { expect, test } from 'vitest'
import { writeIsolated } from './write-isolated.ts'

function poisoned(bad: number) {
  const written: (readonly number[])[] = []
  const failures: number[] = []
  return {
    written,
    failures,
    write: async (items: readonly number[]) => {
      if (items.includes(bad)) throw new Error('poison')
      written.push(items)
    },
  }
}

test('good items are one write', async () => {
  const { written, write } = poisoned(9)
  await writeIsolated([1, 2, 3], write, () => expect.unreachable())
  expect(written).toEqual([[1, 2, 3]])
})

test('one that cannot be written holds up no other', async () => {
  const { written, failures, write } = poisoned(2)
  await writeIsolated([1, 2, 3], write, async (item) => void failures.push(item))
  expect({ written, failures }).toEqual({ written: [[1], [3]], failures: [2] })
})

test('a failure that cannot be recorded ends the work', async () => {
  const { written, write } = poisoned(2)
  const away = () => Promise.reject(new Error('away'))
  await expect(writeIsolated([1, 2, 3], write, away)).rejects.toThrow('away')
  expect(written).toEqual([[1]])
})
