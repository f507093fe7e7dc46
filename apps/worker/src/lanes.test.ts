import { describe, expect, test } from 'vitest'
import { createLanes } from './lanes.ts'

const limits = { claimMax: 64, fullAt: 32, inFlightMax: 512 }

function lanesThatRing() {
  const rings = { count: 0 }
  const lanes = createLanes(limits, () => {
    rings.count += 1
  })
  return { lanes, rings }
}

describe('a lane', () => {
  test('is closed from its limit on, without closing others, and rings when it is below it again', () => {
    const { lanes, rings } = lanesThatRing()
    lanes.enter('slow', limits.fullAt - 1)
    lanes.enter('quick', 1)
    expect(lanes.full()).toEqual([])

    lanes.enter('slow', 1)
    expect(lanes.full()).toEqual(['slow'])
    lanes.enter('slow', 1)
    lanes.leave('slow', 1)
    expect({ full: lanes.full(), rings: rings.count }).toEqual({ full: ['slow'], rings: 0 })

    lanes.leave('slow', 1)
    expect({ full: lanes.full(), rings: rings.count }).toEqual({ full: [], rings: 1 })
  })

  test('that a single claim fills is open again, and rings once, when the claim ends', () => {
    const { lanes, rings } = lanesThatRing()
    lanes.enter('slow', limits.claimMax)
    expect(lanes.full()).toEqual(['slow'])
    lanes.leave('slow', limits.claimMax)
    expect({ full: lanes.full(), rings: rings.count }).toEqual({ full: [], rings: 1 })
  })
})

test('all lanes together never exceed the limit, and have room for a full claim or none', () => {
  const { lanes, rings } = lanesThatRing()
  let entered = 0
  while (lanes.room() > 0) {
    expect(lanes.room()).toBe(limits.claimMax)
    lanes.enter(`lane${entered}`, limits.claimMax)
    entered += limits.claimMax
  }
  expect(entered).toBe(limits.inFlightMax)

  lanes.leave('lane0', limits.claimMax - limits.fullAt)
  expect({ room: lanes.room(), rings: rings.count }).toEqual({ room: 0, rings: 0 })
  lanes.leave('lane0', limits.fullAt)
  expect({ room: lanes.room(), rings: rings.count }).toEqual({ room: limits.claimMax, rings: 1 })
})
