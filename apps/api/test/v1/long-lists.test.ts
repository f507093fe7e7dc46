import { mintId, type PaymentIntentId, uuidOf } from '@merchant-payments/core'
import { createRandom } from '@merchant-payments/testing/random'
import { afterAll, describe, expect, test } from 'vitest'
import { startTestApi } from '../harness.ts'
import { operations } from './operations.ts'
import { type RowMaker, rowMakers } from './row-makers.ts'

const ROWS = 10_000
const BATCH = 500
const PAGE = 100
/** Rows have consecutive seconds, so that others fit between them. */
const FIRST_MS = 1_700_000_000_000
const STEP_MS = 1_000

const api = await startTestApi()
afterAll(() => api.stop())

const lists = operations.filter(({ id }) => id.endsWith('.list'))

const makerOf = (id: string): RowMaker => {
  const maker = rowMakers[id]
  if (maker === undefined) throw new Error(`row-makers.ts makes no rows of ${id} yet`)
  return maker
}

/** Oldest first. */
async function insertAll({ prefix, insert }: RowMaker, merchant: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, n) => mintId(prefix, FIRST_MS + n * STEP_MS))
  for (let from = 0; from < count; from += BATCH) {
    const batch = ids.slice(from, from + BATCH).map((id) => uuidOf(id))
    await api.db.transact((tx) => insert(tx, merchant, batch))
  }
  return ids
}

/** Reads a page, then changes rows as other callers do, until the list ends. */
async function walkWhile(
  path: string,
  merchant: string,
  direction: 'starting_after' | 'ending_before',
  first: string | null,
  meanwhile: (cursor: string) => Promise<void>,
): Promise<string[]> {
  const seen: string[] = []
  for (let cursor = first; ; ) {
    const query = `limit=${PAGE}${cursor === null ? '' : `&${direction}=${cursor}`}`
    const { status, body } = await api.call({ path: `${path}?${query}`, merchant })
    expect(status).toBe(200)
    const shown: string[] = body.data.map(({ id }: { id: string }) => id)
    seen.push(...(direction === 'starting_after' ? shown : shown.toReversed()))
    cursor = seen.at(-1) ?? ''
    if (!body.has_more) return seen
    await meanwhile(cursor)
  }
}

describe(`over ${ROWS} rows, with rows added and removed between two pages, each row that stays is shown once [§2.1]:`, () => {
  describe.each(lists.map((operation) => [operation.id, operation] as const))('%s', (id, { path }) => {
    test.each(['starting_after', 'ending_before'] as const)('%s', async (direction) => {
      const maker = makerOf(id)
      const { prefix, isOrderedById } = maker
      const merchant = `${prefix}_${direction}`
      const random = createRandom(ROWS)
      const old = await insertAll(maker, merchant, ROWS)
      const others = await insertAll(maker, `${merchant}_other`, 100)
      const gone = new Set<string>()
      const mint = (atMs: number) => uuidOf(mintId(prefix, atMs))

      const seen = await walkWhile(
        path,
        merchant,
        direction,
        direction === 'starting_after' ? null : `${prefix}_${'0'.repeat(12)}70008${'0'.repeat(15)}`,
        async (cursor) => {
          const leaving = Array.from({ length: 3 }, () => random.pick(old)).filter((id) => id !== cursor)
          if (isOrderedById && random.chance(0.5)) leaving.push(cursor)
          for (const id of leaving) gone.add(id)
          const middle = isOrderedById ? [mint(FIRST_MS + random.int(0, ROWS) * STEP_MS + 500)] : []
          const coming = [...middle, mint(api.clock()), mint(api.clock())]
          await api.owner.transact(async (tx) => {
            await maker.insert(tx, merchant, coming)
            await maker.remove(
              tx,
              leaving.map((id) => uuidOf(id as PaymentIntentId)),
            )
          })
        },
      )

      const unique = new Set(seen)
      expect(seen.length - unique.size).toBe(0)
      expect(old.filter((id) => !gone.has(id) && !unique.has(id))).toEqual([])
      expect(others.filter((id) => unique.has(id))).toEqual([])
      if (isOrderedById)
        expect(direction === 'starting_after' ? seen.toReversed() : seen).toEqual(seen.toSorted())
    })
  })
})
