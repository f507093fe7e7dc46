export interface Random {
  /** From 0 up to but not including 1. */
  readonly next: () => number
  /** An integer from min to max, both included. */
  readonly int: (min: number, max: number) => number
  readonly chance: (share: number) => boolean
  readonly pick: <T>(from: readonly T[]) => T
  /** A separate generator. Its draws depend only on the seed and the name, not on other draws. */
  readonly fork: (name: number) => Random
}

/** Mulberry32: small, fast, and the same on every platform. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    int: (min, max) => min + Math.floor(next() * (max - min + 1)),
    chance: (share) => next() < share,
    pick: <T>(from: readonly T[]): T => {
      const picked = from[Math.floor(next() * from.length)]
      if (picked === undefined) throw new RangeError('nothing to pick from')
      return picked
    },
    fork: (name) => createRandom(Math.imul(seed ^ 0x9e3779b9, name + 1) ^ name),
  }
}

/** Deals every card once before any repeats, in a new random order each time. */
export function createDeck<T>(random: Random, cards: readonly T[]): () => T {
  let left: T[] = []
  return () => {
    if (left.length === 0) left = [...cards]
    const [dealt] = left.splice(random.int(0, left.length - 1), 1)
    if (dealt === undefined) throw new RangeError('nothing to deal')
    return dealt
  }
}
