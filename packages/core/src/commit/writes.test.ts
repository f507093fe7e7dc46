import type { Writer } from '@merchant-payments/db'
import { expect, test } from 'vitest'
import { batchWrites } from './writes.ts'

/** Sends statements that end only when all have begun that may. Returns how many ran at once. */
async function mostAtOnce(poolSize: number | undefined, owners: readonly string[]): Promise<number> {
  const writes = batchWrites({} as Writer, poolSize)
  let [running, most] = [0, 0]
  const statement = async () => {
    running += 1
    most = Math.max(most, running)
    await new Promise((resolve) => setImmediate(resolve))
    running -= 1
  }
  await Promise.all(owners.map((owner) => writes.alone(owner, statement)))
  return most
}

const ofOne = Array.from({ length: 40 }, () => 'acme')
const ofMany = Array.from({ length: 40 }, (_, n) => `merchant-${n}`)

test.each([
  [undefined, 8, 4],
  [16, 8, 4],
  [10, 5, 3],
  [6, 3, 2],
  [2, 1, 1],
])(
  'in a pool of %s, %i statements may wait for rows at once, and %i of one owner',
  async (size, all, own) => {
    expect([await mostAtOnce(size, ofMany), await mostAtOnce(size, ofOne)]).toEqual([all, own])
  },
)
