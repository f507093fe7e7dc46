/** The only uses of the system's time and randomness. A client's options can replace each. */
export const systemNow = (): number => Date.now()

export const systemRandom = (): number => Math.random()
