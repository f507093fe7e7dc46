import { type Clock, type Counts, counts, takeTurns } from '@merchant-payments/core'

/**
 * Limits of one surface (docs/spec-gaps.md, load). An owner is a merchant, a session of staff, or a route of a
 * surface that has neither.
 */
export interface Limits {
  readonly running: number
  /**
   * Applies while no other owner sends requests. Requests that run together share statements, so more of them is
   * faster.
   */
  readonly runningOfOwner: number
  /** Applies while other owners send requests too: each running request slows theirs. */
  readonly runningBesideOthers: number
  /** Applies while other owners send requests and the event loop of this process is busy. */
  readonly runningUnderPressure: number
  readonly waiting: number
  readonly waitingOfOwner: number
  /** A request that has waited this long is refused. */
  readonly waitMaxMs: number
}

/** The slot of a running request. */
export interface Slot {
  /**
   * Frees the slot while the request waits for a rail. Returns false if the owner has OUTSIDE_OF_OWNER_MAX such
   * waits.
   */
  readonly stepOut: () => boolean
  /** Takes a slot at once, above the limit if necessary: a rail's answer is recorded before new work begins. */
  readonly stepIn: () => void
  /** Keeps the slot counted against its owner for this time after the release, if other owners send requests. */
  readonly restFor: (ms: number) => void
  /** @returns the time in ms for which the slot still counts against its owner */
  readonly release: () => number
}

/** The reason why a request got no slot. */
export type NoSlot = 'full' | 'gone'

export interface Admission {
  /** @param onGone registers a listener for the client's disconnect, for a request that has to wait */
  readonly enter: (
    owner: string,
    onGone: (gone: () => void) => void,
  ) => Slot | Promise<Slot | NoSlot> | NoSlot
  readonly running: () => number
  readonly waiting: () => number
}

/** Requests of one owner that wait for a rail outside their slots. docs/spec-gaps.md, load. */
export const OUTSIDE_OF_OWNER_MAX = 256

/** An owner counts as active for this long after a request, and for at most twice as long. */
export const ASKS_MS = 1_000

/**
 * More waiting requests of one owner are a flood, however idle the event loop is: PostgreSQL may be what is busy.
 * docs/spec-gaps.md, load.
 */
export const FLOOD_WAITING = 32

/** Longest time in ms that a slot rests. */
export const REST_MAX_MS = 50

type Waiter = (slot: Slot | NoSlot) => void

/**
 * Bounds the running and the waiting requests, in total and per owner. Owners take turns for free slots, so an owner
 * with hundreds of waiting requests delays another owner by one slot.
 *
 * An owner floods if its requests wait while the event loop is busy, or if more than FLOOD_WAITING of them wait. Until
 * none of them waits, it gets fewer slots, and each slot rests as long as it was held. Other owners then have half of
 * the time.
 *
 * @param isPressed returns whether the event loop of this process is busy
 * @param noteAsking shared by admissions whose owners compete with each other
 */
export function createAdmission(
  limits: Limits,
  clock: Clock,
  isPressed: () => boolean,
  noteAsking = askers(clock),
): Admission {
  const state: State = {
    limits,
    clock,
    isPressed,
    waiting: takeTurns<string, Waiter>(),
    runningOf: counts(),
    outsideOf: counts(),
    flooding: new Set(),
    othersAsk: false,
    running: 0,
  }
  const { waiting } = state
  return {
    enter: (owner, onGone) => {
      state.othersAsk = noteAsking(owner)
      // A new request queues behind the waiting requests of its owner. Other owners' requests wait for slots of their
      // own.
      if (mayRun(state, owner) && waiting.sizeOf(owner) === 0) return begin(state, owner)
      if (waiting.size() >= limits.waiting || waiting.sizeOf(owner) >= limits.waitingOfOwner) return 'full'
      return wait(state, owner, onGone)
    },
    running: () => state.running,
    waiting: waiting.size,
  }
}

interface State {
  readonly limits: Limits
  readonly clock: Clock
  readonly isPressed: () => boolean
  readonly waiting: ReturnType<typeof takeTurns<string, Waiter>>
  readonly runningOf: Counts<string>
  readonly outsideOf: Counts<string>
  readonly flooding: Set<string>
  othersAsk: boolean
  running: number
}

const mayRun = (state: State, owner: string): boolean =>
  state.running < state.limits.running && state.runningOf.get(owner) < shareOf(state, owner)

function shareOf({ limits, othersAsk, flooding }: State, owner: string): number {
  if (!othersAsk) return limits.runningOfOwner
  return flooding.has(owner) ? limits.runningUnderPressure : limits.runningBesideOthers
}

function begin(state: State, owner: string): Slot {
  const { clock, flooding, outsideOf } = state
  change(state, owner, 1)
  let place: 'in' | 'out' | 'released' = 'in'
  let sinceMs = clock()
  let askedRestMs = 0
  const restMs = () => {
    const heldMs = flooding.has(owner) ? clock() - sinceMs : 0
    return state.othersAsk ? Math.min(Math.max(heldMs, askedRestMs), REST_MAX_MS) : 0
  }
  return {
    restFor: (ms) => {
      askedRestMs = ms
    },
    stepOut: () => {
      if (place !== 'in' || outsideOf.get(owner) >= OUTSIDE_OF_OWNER_MAX) return false
      place = 'out'
      outsideOf.add(owner, 1)
      change(state, owner, -1)
      return true
    },
    stepIn: () => {
      if (place !== 'out') return
      place = 'in'
      sinceMs = clock()
      outsideOf.add(owner, -1)
      change(state, owner, 1)
    },
    release: () => {
      const ms = place === 'in' ? restMs() : 0
      if (ms > 0) rest(state, owner, ms)
      else if (place === 'in') change(state, owner, -1)
      if (place === 'out') outsideOf.add(owner, -1)
      place = 'released'
      return ms
    },
  }
}

function change(state: State, owner: string, by: 1 | -1): void {
  state.running += by
  state.runningOf.add(owner, by)
  if (by === -1) letIn(state)
}

/** Frees the slot for other owners at once. It counts against its own owner until the rest ends. */
function rest(state: State, owner: string, ms: number): void {
  state.running -= 1
  letIn(state)
  setTimeout(() => {
    state.runningOf.add(owner, -1)
    letIn(state)
  }, ms)
}

function letIn(state: State): void {
  const { waiting, flooding } = state
  if (state.running >= state.limits.running) return
  let next = ''
  const waiter = waiting.take((_, owner) => {
    next = owner
    return mayRun(state, owner)
  })
  if (waiter === undefined) return
  if (waiting.sizeOf(next) === 0) flooding.delete(next)
  waiter(begin(state, next))
  // A share that has grown may have room for several requests.
  letIn(state)
}

function wait(state: State, owner: string, onGone: (gone: () => void) => void): Promise<Slot | NoSlot> {
  const { waiting, flooding, limits, isPressed } = state
  return new Promise((resolve) => {
    const waiter: Waiter = (slot) => {
      clearTimeout(timer)
      resolve(slot)
    }
    const giveUp = (why: NoSlot) => () => {
      if (!waiting.remove(owner, waiter)) return
      if (waiting.sizeOf(owner) === 0) flooding.delete(owner)
      waiter(why)
    }
    const timer = setTimeout(giveUp('full'), limits.waitMaxMs)
    waiting.add(owner, waiter)
    if (isPressed() || waiting.sizeOf(owner) > FLOOD_WAITING) flooding.add(owner)
    onGone(giveUp('gone'))
    letIn(state)
  })
}

/** @returns a function that records an owner's request and returns whether other owners sent one lately */
export function askers(clock: Clock): (owner: string) => boolean {
  let now = new Set<string>()
  let before = new Set<string>()
  let sinceMs = 0
  return (owner) => {
    const elapsedMs = clock() - sinceMs
    // Negative if the clock was set back.
    if (elapsedMs >= ASKS_MS || elapsedMs < 0) {
      before = elapsedMs < 2 * ASKS_MS ? now : new Set()
      now = new Set()
      sinceMs += elapsedMs
    }
    now.add(owner)
    return now.size > 1 || before.size > 1 || (before.size === 1 && !before.has(owner))
  }
}
