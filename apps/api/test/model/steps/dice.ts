/** How finely chance is cut. */
export const DIE_SIDES = 2 ** 16

/** How many choices a step can make before they repeat. */
export const DICE_COUNT = 16

/**
 * The choices of one step, thrown beforehand so that a failing run can be made again and made smaller: where every die
 * shows 0, each choice is the plainest one.
 */
export class Dice {
  readonly #thrown: readonly number[]
  #used = 0

  constructor(thrown: readonly number[]) {
    this.#thrown = thrown
  }

  /** From 0 to 1, without 1. */
  roll(): number {
    const die = this.#thrown[this.#used % this.#thrown.length] ?? 0
    this.#used += 1
    return die / DIE_SIDES
  }

  chance(share: number): boolean {
    return this.roll() >= 1 - share
  }

  pick<T>(from: readonly T[]): T {
    const picked = from[Math.floor(this.roll() * from.length)]
    if (picked === undefined) throw new RangeError('nothing to pick from')
    return picked
  }

  int(min: number, max: number): number {
    return min + Math.floor(this.roll() * (max - min + 1))
  }
}
