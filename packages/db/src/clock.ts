/** Milliseconds of a clock that is never set: for spans of time within this process. */
export const monotonicMs = (): number => performance.now()
