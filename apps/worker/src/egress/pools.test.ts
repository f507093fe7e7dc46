import { expect, onTestFinished, test } from 'vitest'
import { createPools, POOLS_MAX } from './pools.ts'

const v4 = { address: '192.0.2.1', family: 4 }
const v6 = { address: '2001:db8::1', family: 6 }

function openPools() {
  const pools = createPools(1_000)
  onTestFinished(() => pools.close())
  return pools
}

test('an origin with the same addresses, in any order, has one pool', () => {
  const pools = openPools()
  const pool = pools.get('https://a.example', [v4, v6])

  expect(pools.get('https://a.example', [v6, v4])).toBe(pool)
  expect(pools.get('https://a.example', [v4])).not.toBe(pool)
  expect(pools.get('https://b.example', [v4, v6])).not.toBe(pool)
})

test('above the limit, the least recently used pool is closed', () => {
  const pools = openPools()
  const opened = Array.from({ length: POOLS_MAX }, (_, n) => pools.get(`https://${n}.example`, [v4]))
  pools.get('https://0.example', [v4])

  pools.get('https://new.example', [v4])

  expect(opened.map(({ closed }, n) => (closed ? n : null)).filter((n) => n !== null)).toEqual([1])
})
