/** Where time and chance enter; the options of a client replace each of them. */
export const systemNow = (): number => Date.now()

export const systemRandom = (): number => Math.random()
