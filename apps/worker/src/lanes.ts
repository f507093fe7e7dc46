import { counts, type LostClaims, type ClaimCursor } from '@merchant-payments/core'
import { createFullTimes } from './full-times.ts'

export interface LaneLimits {
  readonly claimMax: number
  /** Places taken at which a lane is left out of further claims. A job takes one or more. The last claim may exceed it. */
  readonly fullAt: number
  /** Replaces `fullAt` where lanes have limits of their own. */
  readonly fullAtOf?: (lane: string) => number
  readonly inFlightMax: number
  /** Absent if lanes have no owners. */
  readonly owners?: OwnerLimits
}

/** Bounds what all lanes of one owner have under way together. The last claim may exceed it. */
interface OwnerLimits {
  readonly of: (lane: string) => string
  readonly fullAt: number
  /** Replaces `fullAt` while more than half of all places are taken, so that a few owners cannot take the rest. */
  readonly fullAtWhenCrowded: number
}

/**
 * Counts the places that jobs under way take per lane. A slow endpoint or rail fills its own lane and delays no other. An
 * owner with many slow lanes fills its own share.
 */
export interface Lanes {
  /**
   * The number of jobs that may be claimed now: claimMax or 0, because a claim of a few costs as much as a
   * full one.
   */
  room(): number
  /** The lanes, and the owners, that have all of their places taken. */
  full(): readonly string[]
  shut(lane: string, untilMs: number): void
  /** Those that are full or shut. Notes the full ones. */
  leftOutAt(nowMs: number): readonly string[]
  /** Time since an instant for which claims left the lane, or its owner, out as full. */
  fullMs(lane: string, sinceMs: number): number
  enter(lane: string, places: number): void
  leave(lane: string, places: number): void
  /** Claims whose answer was lost. The next claim releases their jobs. */
  readonly lost: LostClaims
  readonly cursor: ClaimCursor
}

/** @param onRoom called when a lane or the total is no longer full */
export function createLanes(limits: LaneLimits, onRoom: () => void = () => {}): Lanes {
  const { claimMax, fullAt, fullAtOf = () => fullAt, inFlightMax } = limits
  const inFlight = counts<string>()
  const full = new Set<string>()
  const owners = limits.owners && countOwners(limits.owners)
  const shut = new Map<string, number>()
  const fullTimes = createFullTimes()

  const hasRoom = () => inFlight.total() + claimMax <= inFlightMax
  const isCrowded = () => inFlight.total() > inFlightMax / 2
  const allFull = () => [...full, ...(owners?.full(isCrowded()) ?? [])]

  return {
    lost: new Set(),
    cursor: { behind: null },
    room: () => (hasRoom() ? claimMax : 0),
    full: allFull,
    shut: (lane, untilMs) => void shut.set(lane, untilMs),
    leftOutAt: (nowMs) => {
      for (const [lane, untilMs] of shut) if (untilMs <= nowMs) shut.delete(lane)
      const now = allFull()
      fullTimes.note(now, nowMs)
      return [...now, ...shut.keys()]
    },
    fullMs: (lane, sinceMs) => {
      const names = limits.owners === undefined ? [lane] : [lane, limits.owners.of(lane)]
      return Math.max(...names.map((name) => fullTimes.lastedMs(name, sinceMs)))
    },
    enter: (lane, places) => {
      owners?.add(lane, places)
      if (inFlight.add(lane, places) >= fullAtOf(lane)) full.add(lane)
    },
    leave: (lane, places) => {
      const hadRoom = hasRoom()
      const left = inFlight.add(lane, -places)
      owners?.add(lane, -places)
      const reopened = left < fullAtOf(lane) && full.delete(lane)
      if (reopened || (!hadRoom && hasRoom()) || owners?.hasReopened(isCrowded()) === true) onRoom()
    },
  }
}

function countOwners({ of, fullAt, fullAtWhenCrowded }: OwnerLimits) {
  const inFlight = counts<string>()
  /** Those that the last claim left out. */
  let leftOut: readonly string[] = []
  const isFull = (owner: string, isCrowded: boolean) =>
    inFlight.get(owner) >= (isCrowded ? fullAtWhenCrowded : fullAt)
  return {
    add: (lane: string, jobs: number) => inFlight.add(of(lane), jobs),
    full: (isCrowded: boolean): readonly string[] => {
      leftOut = [...inFlight.keys()].filter((owner) => isFull(owner, isCrowded))
      return leftOut
    },
    /** Whether an owner that was left out may be claimed again. True once for each. */
    hasReopened: (isCrowded: boolean): boolean => {
      const still = leftOut.filter((owner) => isFull(owner, isCrowded))
      const hasReopened = still.length < leftOut.length
      leftOut = still
      return hasReopened
    },
  }
}
