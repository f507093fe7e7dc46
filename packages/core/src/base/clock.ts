import type { Brand } from './brand.ts'

export type UnixSeconds = Brand<number, 'UnixSeconds'>

/** In milliseconds. Passed in, so that tests can move it. */
export type Clock = () => number

export const systemClock: Clock = () => Date.now()

export const secondsOf = (ms: number): UnixSeconds => Math.floor(ms / 1000) as UnixSeconds

export const secondsOrNull = (ms: number | null): UnixSeconds | null => (ms === null ? null : secondsOf(ms))
