import type { LostClaims } from '@merchant-payments/core'

export interface LaneLimits {
  /** Jobs of one claim. */
  readonly claimMax: number
  /** A lane with this many under way takes part in no further claim; the last claim may overshoot. */
  readonly fullAt: number
  /** Under way, over all lanes. */
  readonly inFlightMax: number
}

/** Keeps count of what is under way, so that a slow endpoint or rail fills its own lane and delays nobody else's. */
export interface Lanes {
  /** How many jobs may be claimed now. All or nothing: a claim of a few would cost as much as a full one. */
  room(): number
  /** The lanes that wait, as the claim names them. */
  full(): readonly string[]
  /** Takes a lane out of every claim until an instant. */
  shut(lane: string, untilMs: number): void
  /** The lanes that are shut now. */
  shutAt(nowMs: number): readonly string[]
  enter(lane: string, jobs: number): void
  leave(lane: string, jobs: number): void
  /** Claims of these jobs whose answer was lost: the next one gives them back. */
  readonly lost: LostClaims
}

/** @param onRoom is called when a lane, or the whole, is no longer full */
export function createLanes(limits: LaneLimits, onRoom: () => void = () => {}): Lanes {
  const { claimMax, fullAt, inFlightMax } = limits
  const inFlight = new Map<string, number>()
  const full = new Set<string>()
  const shut = new Map<string, number>()
  let total = 0

  const hasRoom = () => total + claimMax <= inFlightMax

  return {
    lost: new Set(),
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
