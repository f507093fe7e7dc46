import type { Brand } from './brand.ts'

export type UnixSeconds = Brand<number, 'UnixSeconds'>

export const SECOND_MS = 1_000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** In milliseconds. Passed in, so that tests can move it. */
export type Clock = () => number

export const systemClock: Clock = () => Date.now()

/** The time of a change after an erasure, whose process can have a clock that is ahead. */
export const afterErasure = (erasedAtMs: number | null, nowMs: number): number =>
  erasedAtMs === null ? nowMs : Math.max(nowMs, erasedAtMs + 1)

export const secondsOf = (ms: number): UnixSeconds => Math.floor(ms / 1000) as UnixSeconds

export const secondsOrNull = (ms: number | null): UnixSeconds | null => (ms === null ? null : secondsOf(ms))
