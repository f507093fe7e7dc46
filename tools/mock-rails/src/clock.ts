export type MockClock = {
  readonly now: () => number
  readonly offsetMs: () => number
  readonly advance: (byMs: number) => void
  readonly reset: () => void
}

/** The real time (or the caller's clock) plus an offset that only the control plane changes. */
export function createMockClock(base: () => number = Date.now): MockClock {
  let offsetMs = 0
  return {
    now: () => base() + offsetMs,
    offsetMs: () => offsetMs,
    advance: (byMs) => {
      offsetMs += byMs
    },
    reset: () => {
      offsetMs = 0
    },
  }
}
