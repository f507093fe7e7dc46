import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { soakOf, soaks } from './soaks.ts'

const { smoke, full, variable } = soaks.randomPayments

beforeEach(() => {
  for (const name of ['SOAK', 'RANDOM_SEED', variable]) vi.stubEnv(name, undefined)
})
afterEach(() => {
  vi.unstubAllEnvs()
})

const seeds = () => new Set(Array.from({ length: 10 }, () => soakOf('randomPayments').seed))

describe('a soak', () => {
  test('runs at smoke size with one seed in every run', () => {
    expect(soakOf('randomPayments')).toMatchObject({ size: smoke, isFull: false })
    expect(seeds().size).toBe(1)
  })

  test('runs in full with a random seed if SOAK=full', () => {
    vi.stubEnv('SOAK', 'full')
    expect(soakOf('randomPayments')).toMatchObject({ size: full, isFull: true })
    expect(seeds().size).toBeGreaterThan(1)
  })

  test('takes its size from its own variable, with a random seed', () => {
    vi.stubEnv(variable, '7')
    expect(soakOf('randomPayments')).toMatchObject({ size: 7, isFull: false })
    expect(seeds().size).toBeGreaterThan(1)
  })

  test('is repeated by RANDOM_SEED, at either size', () => {
    vi.stubEnv('RANDOM_SEED', '42')
    expect(soakOf('randomPayments').seed).toBe(42)
    vi.stubEnv('SOAK', 'full')
    expect(soakOf('randomPayments')).toEqual({ size: full, seed: 42, isFull: true })
  })

  test('has its own variable, and is larger in full', () => {
    const all = Object.values(soaks)
    expect(new Set(all.map(({ variable }) => variable)).size).toBe(all.length)
    expect(all.filter(({ smoke, full }) => smoke >= full)).toEqual([])
  })
})
