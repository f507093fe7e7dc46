import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type AskedConnections, fitPools } from './pool-sizes.ts'

const asked = (changes: Partial<AskedConnections> = {}): AskedConnections => ({
  readConnections: 4,
  sharedBy: { apis: 2, workers: 2 },
  ...changes,
})

test('two of each have the documented pools on a database that admits 200 connections', () => {
  expect(fitPools(asked(), 197)).toEqual({
    api: {
      merchants: { poolSize: 16, readConnections: 4, listConnections: 2 },
      payers: { poolSize: 6, readConnections: 2, listConnections: 0 },
      callbacks: { poolSize: 3, readConnections: 1, listConnections: 0 },
      oauth: { poolSize: 4, readConnections: 1, listConnections: 0 },
      staff: { poolSize: 4, readConnections: 0, listConnections: 0 },
      signIn: { poolSize: 2, readConnections: 0, listConnections: 0 },
    },
    worker: { worker: { poolSize: 16, readConnections: 4, listConnections: 2 } },
    most: 134,
    fits: true,
  })
})

test("two of each fit into PostgreSQL's default of 100 connections", () => {
  expect(fitPools(asked(), 97)).toMatchObject({
    api: { merchants: { poolSize: 9, readConnections: 2, listConnections: 1 } },
    worker: { worker: { poolSize: 9, readConnections: 2, listConnections: 1 } },
    fits: true,
  })
})

test('a size that is asked for is kept, and whether it fits is said', () => {
  expect(fitPools(asked({ poolSize: 16 }), 97)).toMatchObject({
    worker: { worker: { poolSize: 16 } },
    most: 134,
    fits: false,
  })
})

test('no pool is ever empty, and what is said to fit does', () => {
  const count = fc.integer({ min: 1, max: 20 })
  const limits = fc.integer({ min: 0, max: 2_000 })
  fc.assert(
    fc.property(count, count, limits, fc.nat(8), (apis, workers, limit, readConnections) => {
      const { api, worker, most, fits } = fitPools({ readConnections, sharedBy: { apis, workers } }, limit)
      const sizes = [...Object.values(api), ...Object.values(worker)]
      for (const { poolSize } of sizes) expect(poolSize).toBeGreaterThanOrEqual(2)
      expect(api.merchants.readConnections > 0).toBe(readConnections > 0)
      expect(fits).toBe(most + 8 <= limit)
      // The least pools are 17 connections of an api, and 4 of a worker.
      if (limit - 8 >= apis * 17 + workers * 4) expect(fits).toBe(true)
    }),
  )
})
