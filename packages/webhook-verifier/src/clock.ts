/** Milliseconds since 1970. Looked up at each call, so that later fake timers take effect. */
export const systemClock = (): number => Date.now()
