import type { DeliveryJob } from '@merchant-payments/core'

/** Jobs of one claim. */
export const CLAIM_MAX = 64

/** An endpoint with this many attempts under way takes part in no further claim; the last one may overshoot. */
export const LANE_FULL_AT = 32

/** Attempts under way, over all endpoints. */
export const IN_FLIGHT_MAX = 512

/** Keeps count of the attempts under way, so that a slow endpoint fills its own lane and delays nobody else's. */
export interface Lanes {
  /** How many jobs may be claimed now. All or nothing: a claim of a few would cost as much as a full one. */
  room(): number
  /** The endpoints that wait, as the claim names them. */
  full(): readonly string[]
  enter(job: DeliveryJob): void
  leave(job: DeliveryJob): void
}

/** @param onRoom is called when a lane, or the whole, is no longer full */
export function createLanes(onRoom: () => void = () => {}): Lanes {
  const inFlight = new Map<string, number>()
  const full = new Set<string>()
  let total = 0

  function leave(job: DeliveryJob): void {
    const lane = laneOf(job)
    const left = (inFlight.get(lane) ?? 0) - 1
    if (left > 0) inFlight.set(lane, left)
    else inFlight.delete(lane)
    total -= 1
    const reopened = left < LANE_FULL_AT && full.delete(lane)
    if (reopened || total === IN_FLIGHT_MAX - CLAIM_MAX) onRoom()
  }

  return {
    room: () => (total + CLAIM_MAX <= IN_FLIGHT_MAX ? CLAIM_MAX : 0),
    full: () => [...full],
    enter: (job) => {
      const lane = laneOf(job)
      const entered = (inFlight.get(lane) ?? 0) + 1
      inFlight.set(lane, entered)
      total += 1
      if (entered >= LANE_FULL_AT) full.add(lane)
    },
    leave,
  }
}

/** In the spelling of claimDeliveries: neither part can hold a slash. */
const laneOf = ({ merchantId, endpointId }: DeliveryJob): string => `${merchantId}/${endpointId}`
