import { type Clock, takeTurns } from '@merchant-payments/core'

/** docs/spec-gaps.md, load. An owner is a merchant, or a route of a surface that knows no merchants. */
export interface Limits {
  readonly running: number
  /** While nobody else asks: more requests at once share more statements. */
  readonly runningOfOwner: number
  /** While others ask too: each request that runs makes theirs slower. */
  readonly runningBesideOthers: number
  /** While others ask too, and this process has no time to spare. */
  readonly runningUnderPressure: number
  readonly waiting: number
  readonly waitingOfOwner: number
  /** A request that has waited so long is refused: its client has better things to do. */
  readonly waitMsMax: number
}

/** A request's place among those that run. */
export interface Slot {
  /** While a request waits for somebody outside, its place is another's: the merchant's share of such waits is bounded. */
  readonly stepOut: () => boolean
  /** At once: what has already been sent to a rail is recorded before anything new begins. */
  readonly stepIn: () => void
  /** The owner's share stays taken for so long after the release, if others ask too. Nobody else's does. */
  readonly restFor: (ms: number) => void
  /** @returns for how many milliseconds the owner's share rests */
  readonly release: () => number
}

/** Why a request got no slot. */
export type NoSlot = 'full' | 'gone'

export interface Admission {
  /** @param onGone tells how to hear that the client has gone, for a request that must wait */
  readonly enter: (
    owner: string,
    onGone: (gone: () => void) => void,
  ) => Slot | Promise<Slot | NoSlot> | NoSlot
  readonly running: () => number
  readonly waiting: () => number
}

/** docs/spec-gaps.md, load: requests of one owner that wait for a rail and hold no slot for it. */
export const OUTSIDE_OF_OWNER_MAX = 256

/** For so long, and twice as long at most, an owner who has asked counts among those who ask. */
export const ASKS_MS = 1_000

/** A place rests no longer than this. */
export const REST_MS_MAX = 50

interface Waiter {
  readonly resolve: (slot: Slot | NoSlot) => void
}

/**
 * Bounds what runs at once, of all owners and of each, and what waits for a place. Owners take turns for the places
 * that become free, so that one who has hundreds of requests waiting delays another's by one place.
 *
 * An owner floods when its requests have to wait while the process has no time to spare. Until none of them waits, it has
 * few places, and each rests after a request as long as it was held, so that others have half of the time.
 *
 * @param isPressed whether this process has no time to spare
 * @param noteAsking shared by admissions whose owners are beside each other
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
      // Whoever comes now is behind the owner's own requests that wait. Others' wait for a place of their own.
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
  readonly runningOf: Counts
  readonly outsideOf: Counts
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
    return state.othersAsk ? Math.min(Math.max(heldMs, askedRestMs), REST_MS_MAX) : 0
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

/** Whoever else waits has the place at once: only the owner's own requests wait for the rest to end. */
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
  waiter.resolve(begin(state, next))
  // A share that has grown has room for more than one.
  letIn(state)
}

function wait(state: State, owner: string, onGone: (gone: () => void) => void): Promise<Slot | NoSlot> {
  const { waiting, flooding, limits, isPressed } = state
  return new Promise((resolve) => {
    const waiter: Waiter = {
      resolve: (slot) => {
        clearTimeout(timer)
        resolve(slot)
      },
    }
    const giveUp = (why: NoSlot) => () => {
      if (!waiting.remove(owner, waiter)) return
      if (waiting.sizeOf(owner) === 0) flooding.delete(owner)
      waiter.resolve(why)
    }
    const timer = setTimeout(giveUp('full'), limits.waitMsMax)
    waiting.add(owner, waiter)
    if (isPressed()) flooding.add(owner)
    onGone(giveUp('gone'))
    letIn(state)
  })
}

/** @returns notes that an owner asks, and tells whether others have asked lately */
export function askers(clock: Clock): (owner: string) => boolean {
  let now = new Set<string>()
  let before = new Set<string>()
  let sinceMs = 0
  return (owner) => {
    const elapsedMs = clock() - sinceMs
    // Negative: the clock was set back.
    if (elapsedMs >= ASKS_MS || elapsedMs < 0) {
      before = elapsedMs < 2 * ASKS_MS ? now : new Set()
      now = new Set()
      sinceMs += elapsedMs
    }
    now.add(owner)
    return now.size > 1 || before.size > 1 || (before.size === 1 && !before.has(owner))
  }
}

type Counts = ReturnType<typeof counts>

/** Holds no name whose count is zero. */
function counts() {
  const of = new Map<string, number>()
  return {
    get: (name: string) => of.get(name) ?? 0,
    add: (name: string, by: number) => {
      const count = (of.get(name) ?? 0) + by
      if (count === 0) of.delete(name)
      else of.set(name, count)
    },
  }
}
