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
  test('closes at its limit without closing others, and rings when it is below the limit again', () => {
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

describe('an owner of several lanes', () => {
  const owners = { of: (lane: string) => lane.slice(0, 1), fullAt: 128, fullAtWhenCrowded: 16 }

  test('closes at its limit without closing others, and rings when it is below the limit again', () => {
    let rings = 0
    const lanes = createLanes({ ...limits, owners }, () => void (rings += 1))
    for (let n = 0; n < 8; n += 1) lanes.enter(`a${n}`, 16)
    lanes.enter('b0', 16)
    expect(lanes.full()).toEqual(['a'])

    lanes.leave('a0', 1)
    expect({ full: lanes.full(), rings }).toEqual({ full: [], rings: 1 })
  })

  test('has a smaller share while more than half of all places are taken', () => {
    const lanes = createLanes({ ...limits, owners })
    for (let n = 0; n < 16; n += 1) lanes.enter(`a${n}`, 16)
    lanes.enter('b0', 15)
    lanes.enter('c0', 16)
    expect(lanes.full()).toEqual(['a', 'c'])

    for (let n = 0; n < 9; n += 1) lanes.leave(`a${n}`, 16)
    expect(lanes.full()).toEqual([])
  })
})
