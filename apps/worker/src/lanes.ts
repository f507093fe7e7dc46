import type { LostClaims, Turn } from '@merchant-payments/core'

export interface LaneLimits {
  readonly claimMax: number
  /** Jobs under way at which a lane is left out of further claims. The last claim may exceed it. */
  readonly fullAt: number
  readonly inFlightMax: number
}

/** Counts the jobs under way per lane. A slow endpoint or rail fills its own lane and delays no other. */
export interface Lanes {
  /**
   * The number of jobs that may be claimed now: claimMax or 0, because a claim of a few costs as much as a
   * full one.
   */
  room(): number
  full(): readonly string[]
  shut(lane: string, untilMs: number): void
  shutAt(nowMs: number): readonly string[]
  enter(lane: string, jobs: number): void
  leave(lane: string, jobs: number): void
  /** Claims whose answer was lost. The next claim releases their jobs. */
  readonly lost: LostClaims
  /** Where the next claim of deliveries begins. */
  readonly turn: Turn
}

/** @param onRoom called when a lane or the total is no longer full */
export function createLanes(limits: LaneLimits, onRoom: () => void = () => {}): Lanes {
  const { claimMax, fullAt, inFlightMax } = limits
  const inFlight = new Map<string, number>()
  const full = new Set<string>()
  const shut = new Map<string, number>()
  let total = 0

  const hasRoom = () => total + claimMax <= inFlightMax

  return {
    lost: new Set(),
    turn: { behind: null },
    room: () => (hasRoom() ? claimMax : 0),
    full: () => [...full],
    shut: (lane, untilMs) => void shut.set(lane, untilMs),
    shutAt: (nowMs) => {
      for (const [lane, untilMs] of shut) if (untilMs <= nowMs) shut.delete(lane)
      return [...shut.keys()]
    },
    enter: (lane, jobs) => {
      const entered = (inFlight.get(lane) ?? 0) + jobs
      inFlight.set(lane, entered)
      total += jobs
      if (entered >= fullAt) full.add(lane)
    },
    leave: (lane, jobs) => {
      const hadRoom = hasRoom()
      const left = (inFlight.get(lane) ?? 0) - jobs
      if (left > 0) inFlight.set(lane, left)
      else inFlight.delete(lane)
      total -= jobs
      const reopened = left < fullAt && full.delete(lane)
      if (reopened || (!hadRoom && hasRoom())) onRoom()
    },
  }
}
