import type { DeliveryJob } from '@merchant-payments/core'
import { describe, expect, test } from 'vitest'
import { CLAIM_MAX, createLanes, IN_FLIGHT_MAX, LANE_FULL_AT } from './lanes.ts'

const jobTo = (endpointId: string, merchantId = 'acme') => ({ merchantId, endpointId }) as DeliveryJob

function lanesThatRing() {
  const rings = { count: 0 }
  const lanes = createLanes(() => {
    rings.count += 1
  })
  const enter = (job: DeliveryJob, times: number) => {
    for (let n = 0; n < times; n += 1) lanes.enter(job)
  }
  return { lanes, rings, enter }
}

describe('one endpoint', () => {
  test('waits from its limit on, alone, and rings when it is below again', () => {
    const { lanes, rings, enter } = lanesThatRing()
    const slow = jobTo('slow')
    enter(slow, LANE_FULL_AT - 1)
    enter(jobTo('quick'), 1)
    expect(lanes.full()).toEqual([])

    enter(slow, 1)
    expect(lanes.full()).toEqual(['acme/slow'])
    enter(slow, 1)
    lanes.leave(slow)
    expect({ full: lanes.full(), rings: rings.count }).toEqual({ full: ['acme/slow'], rings: 0 })

    lanes.leave(slow)
    expect({ full: lanes.full(), rings: rings.count }).toEqual({ full: [], rings: 1 })
  })

  test('is not another merchant’s of the same id', () => {
    const { lanes, enter } = lanesThatRing()
    enter(jobTo('main', 'acme'), LANE_FULL_AT)
    enter(jobTo('main', 'bakery'), LANE_FULL_AT - 1)

    expect(lanes.full()).toEqual(['acme/main'])
  })
})

test('all endpoints together never have more under way than the limit, and a full claim has room or none', () => {
  const { lanes, rings, enter } = lanesThatRing()
  let entered = 0
  while (lanes.room() > 0) {
    expect(lanes.room()).toBe(CLAIM_MAX)
    enter(jobTo(`endpoint${entered}`), CLAIM_MAX)
    entered += CLAIM_MAX
  }
  expect(entered).toBe(IN_FLIGHT_MAX)

  for (let n = 0; n < CLAIM_MAX - LANE_FULL_AT; n += 1) lanes.leave(jobTo('endpoint0'))
  expect({ room: lanes.room(), rings: rings.count }).toEqual({ room: 0, rings: 0 })
  for (let n = 0; n < LANE_FULL_AT; n += 1) lanes.leave(jobTo('endpoint0'))
  expect(lanes.room()).toBe(CLAIM_MAX)
})
