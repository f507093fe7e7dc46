/** Milliseconds since 1970. Looked up at each call, so that fake timers installed later are honoured. */
export const systemClock = (): number => Date.now()
