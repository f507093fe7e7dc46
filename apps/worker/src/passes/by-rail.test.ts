import type { RailAdapter, RailCode } from '@merchant-payments/core'
import { expect, test } from 'vitest'
import { lanesOfRails } from './by-rail.ts'

const limits = { claimMax: 100, fullAt: 300, sharedBy: 1 }

const railsOf = (...callsMax: (number | undefined)[]) =>
  new Map(
    callsMax.map((calls, n) => [
      `rail_${n}` as RailCode,
      { ...(calls !== undefined && { callsMax: calls }) } as RailAdapter,
    ]),
  )

test.each([16, 32, 64, 128, 300, 512])(
  'a lane and its last claim fit the %i calls that its rail takes at once',
  (calls) => {
    const { claimMax, fullAtOf } = lanesOfRails(limits, railsOf(calls, undefined))
    expect((fullAtOf?.('rail_0') ?? 0) - 1 + claimMax).toBeLessThanOrEqual(calls)
    expect(fullAtOf?.('rail_1')).toBe(300)
  },
)

test('passes that share the calls of a rail have a part each', () => {
  const { claimMax, fullAtOf } = lanesOfRails({ ...limits, sharedBy: 2 }, railsOf(128))
  expect((fullAtOf?.('rail_0') ?? 0) - 1 + claimMax).toBe(64)
})

test('a rail that takes few calls makes claims small, but not tiny', () => {
  expect(lanesOfRails(limits, railsOf(8, 512))).toMatchObject({ claimMax: 16 })
})

test('rails that take many calls, or all, change no limit', () => {
  for (const rails of [railsOf(512), railsOf(undefined), railsOf()])
    expect(lanesOfRails(limits, rails)).toMatchObject({ claimMax: 100, fullAt: 300 })
})
