/** The time in milliseconds, by this device. */
export type Clock = () => number

export const deviceClock: Clock = () => Date.now()

/** From 0 to 1, for what needs no secrecy. */
export const chance = (): number => Math.random()
