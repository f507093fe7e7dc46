/** The only place that reads the time. */
export const nowMs = (): number => Date.now()
