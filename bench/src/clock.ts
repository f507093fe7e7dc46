import { hrtime } from 'node:process'

/** Milliseconds of the machine's monotonic clock, which all its processes share. */
export const nowMs = (): number => Number(hrtime.bigint()) / 1e6
