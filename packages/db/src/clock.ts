/** Milliseconds of a monotonic clock, for durations within this process. */
export const monotonicMs = (): number => performance.now()
