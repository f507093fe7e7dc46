export type Clock = () => number

export const deviceClock: Clock = () => Date.now()

/** A random number from 0 to 1, for uses that need no secrecy. */
export const chance = (): number => Math.random()
