/** Longer than two looks of a pass, between which a lane is open for one claim and then full again. */
const GAP_MAX_MS = 10_000

/** Remembers the latest period in which each name was left out of claims. The names are configured endpoints and merchants. */
export function createFullTimes() {
  const periods = new Map<string, { readonly fromMs: number; untilMs: number }>()
  return {
    note: (names: readonly string[], nowMs: number): void => {
      for (const name of names) {
        const period = periods.get(name)
        if (period !== undefined && nowMs - period.untilMs <= GAP_MAX_MS) period.untilMs = nowMs
        else periods.set(name, { fromMs: nowMs, untilMs: nowMs })
      }
    },
    /** How much of its latest period is after this instant. */
    lastedMs: (name: string, sinceMs: number): number => {
      const period = periods.get(name)
      return period === undefined ? 0 : Math.max(0, period.untilMs - Math.max(period.fromMs, sinceMs))
    },
  }
}
